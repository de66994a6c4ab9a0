"""For which lanes is a value true, for which false, and for which can nobody tell?"""

from __future__ import annotations

from dtlint.machine import library
from dtlint.machine.contents import containers, filled_by
from dtlint.machine.contents.comparisons import COMPARISONS
from dtlint.machine.contents.opaque import TEMPORARY
from dtlint.machine.contents.own_operators import TURNED
from dtlint.machine.contents.presence import looked_for, made_on_one_side, perhaps_not_made
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, of_each, restrict, token
from dtlint.machine.library.python import files, options
from dtlint.machine.logs import plain_truth
from dtlint.machine.values import (
    BY_RANK,
    CONTAINERS,
    FILLED,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)


def truth_of(machine: Machine, value: Value) -> tuple[bool | None, Symbol, Cause | None]:
    """Is one lane's value true? With the symbol of the question when nobody knows."""
    if isinstance(value, Const):
        if value.value is Ellipsis:
            return True, machine.symbols.of("true"), None
        return bool(value.value), machine.symbols.of("const", repr(value.value)[:40]), None
    if isinstance(value, Unknown):
        if is_filled(value.symbol) or (TEMPORARY in value.tags and value.symbol.key[0] == "source"):
            return True, value.symbol, None  # a text with something in it, such as the name of a new temporary folder
        if options.is_demanded_text(machine, value):
            return True, value.symbol, None
        asked = asked_before(machine, value.symbol)
        if asked is not None:
            return (asked, value.symbol, None) if isinstance(asked, bool) else (None, asked, None)
        cause = containers.length_cause(machine, value) if is_list(machine, value.symbol) else value.cause
        if TEMPORARY in value.tags:
            cause = None  # there is a name or there is none, whatever it is
        if cause is not None and cause.kind == "data" and looked_for(machine.knowledge, value):
            cause = None
        return None, value.symbol, cause
    if isinstance(value, Tuple):
        return bool(value.items), machine.symbols.of("tuple"), None
    if isinstance(value, Object):
        asked = perhaps_not_made(machine, value)
        return containers.truth(machine, value) if asked is None else (None, asked, None)
    if isinstance(value, Bound) and is_field(machine, value):
        return None, machine.symbols.of("field", token(value)), None
    return True, machine.symbols.of("true"), None


def is_field(machine: Machine, value: Bound) -> bool:
    """`args.save_on_each_node` of a library's object: nobody says that it is a method, nor what it holds."""
    return (
        isinstance(value.function, External)
        and isinstance(value.receiver, Object)
        and machine.knowledge.api(value.function.name) is None
    )


def is_filled(symbol: object) -> bool:
    """A path put together of several parts is not empty, whatever they are, nor is a text with something written in
    it."""
    if not isinstance(symbol, Symbol):
        return False
    if symbol.key[0] == files.JOINED:
        return len(symbol.key) > 2
    return symbol.key[0] == "text" and any(isinstance(part, str) and part for part in symbol.key[1:])


def compared_length(op: str, left: Value, right: Value) -> Const | None:
    """`len(path) == 0` of a text with something in it: one letter, or two for all that are longer."""
    if isinstance(left, Const):
        return compared_length(TURNED[op], right, left) if op in TURNED and not isinstance(right, Const) else None
    counted = isinstance(left, Unknown) and left.symbol.key[0] == "len" and is_filled(left.symbol.key[1])
    if not counted or op not in COMPARISONS or not isinstance(right, Const) or type(right.value) is not int:
        return None
    answers = {bool(COMPARISONS[op](letters, right.value)) for letters in (1, 2)}
    return Const(answers.pop()) if right.value <= 1 and len(answers) == 1 else None


def is_list(machine: Machine, symbol: Symbol) -> bool:
    """A part of something, what turns of a loop have left of one, or a list that a library has made: true as long as
    anything is in it."""
    kind = symbol.key[0]
    if kind == "loop" and isinstance(symbol.key[-1], Symbol):
        return is_list(machine, symbol.key[-1])
    row = machine.knowledge.api(kind) if "." in kind else None
    return kind == "slice" or (row is not None and bool(row.extra.get("list")))


def asked_before(machine: Machine, symbol: Symbol) -> Symbol | bool | None:
    """After `found = True` on one side of a branch and `found = False` on the other, `found` asks what the branch has
    asked. After `if folder: folder = os.path.join(folder, name)` there is one where there was one before."""
    if symbol.key[0] not in ("phi", "split") or len(symbol.key) != 4 or not isinstance(symbol.key[1], Symbol):
        return None
    question, *sides = symbol.key[1:]
    then, other = map(plain_truth, sides)
    if then is not None and then is other:
        return then
    if symbol.key[0] == "split":
        return None
    if then is not None and other is not None:
        return question if then else machine.symbols.of("not", question)
    if question in sides:
        return question if any(is_filled(side) for side in sides) else None
    given = (side.key[0] for side in sides if isinstance(side, Symbol))
    return made_on_one_side(machine, symbol) if all(machine.knowledge.always_gives(one) for one in given) else None


def answered(machine: Machine, value: Value, mask: int, counted: bool = False) -> Value:
    """An object of the program's own says by `__bool__` whether it is true. How many things it holds decides for a
    loop that takes them out; elsewhere, where nobody knows how many, one asks whether there is an object at all."""
    if isinstance(value, Row):
        return of_each(value, mask, lambda one, lanes: answered(machine, one, lanes, counted)) or value
    if isinstance(value, Object) and isinstance(value.kind, ClassRef):
        from dtlint.machine.functions import calls
        from dtlint.machine.names import classes

        for name in ("__bool__", "__len__"):
            method = classes.in_class(machine, value.kind, name)
            if isinstance(method, FunctionRef):
                told = calls.follow(machine, method, value, (), (), mask)
                lanes = told.lanes if isinstance(told, Row) else (told,)
                if counted or name == "__bool__" or all(isinstance(one, Const) for one in lanes):
                    return told
    return value


def truth(
    machine: Machine, value: Value, mask: int, counted: bool = False
) -> tuple[int, int, int, Cause | None, Symbol | None]:
    """Masks of the lanes where the value is true, false, and unknown, with the cause of any difference."""
    value = restrict(answered(machine, restrict(value, mask), mask, counted), mask)
    if isinstance(value, External | Bound | FunctionRef):
        value = library.noticing.asked(machine, value)
    if value.tags and "off root" in machine.facts:
        from dtlint.machine.library.meeting import roots

        value = restrict(roots.by_lane(machine, value), mask)
        roots.decided(machine, value, mask)
    some = filled_by.holders(value, mask)
    if some is not None:
        _, one, _ = truth_of(machine, value)
        return 0, mask & ~some[0], some[0], some[1], one
    value = of_each_lane(value, mask)
    if not isinstance(value, Row):
        known, one, why = truth_of(machine, value)
        if known is None:
            if why is not None and value.tags and why.kind in BY_RANK and alike(value):
                why = None
            if not mask & (mask - 1):
                why = None  # one rank alone cannot part
            return 0, 0, mask, why, one
        return (mask, 0, 0, None, None) if known else (0, mask, 0, None, None)
    true = false = unsure = 0
    symbols: dict[Symbol, None] = {}
    cause: Cause | None = value.cause
    for lane in lanes_in(mask):
        known, one, why = truth_of(machine, value.lanes[lane])
        if known is None:
            unsure |= 1 << lane
            symbols.setdefault(one)
            cause = why or cause
        elif known:
            true |= 1 << lane
        else:
            false |= 1 << lane
    if unsure and not true and not false:
        causes = {id(value.lanes[lane].cause) for lane in lanes_in(mask)}
        if all(value.lanes[lane].cause is None for lane in lanes_in(mask)) and len(causes) == 1:
            cause = value.cause
        if cause is not None and cause.kind in BY_RANK and alike(value):
            cause = None
    symbol, *others = symbols or (None,)
    if symbol is not None and not all(computed_alike(symbol, other) for other in others):
        symbol = machine.symbols.of(APART, *symbols)
    elif symbol is not None:
        for other in others:
            told_apart(symbol, other)
    return true, false, unsure, cause, symbol


def of_each_lane(value: Value, mask: int) -> Value:
    """A list into which each rank has put something else: what it holds there, where that is known of all of them."""
    if not isinstance(value, Object) or value.kind not in CONTAINERS or FILLED in value.attributes:
        return value
    held = value.attributes.get("[]")
    known = isinstance(held, Row) and all(isinstance(held.lanes[lane], Tuple) for lane in lanes_in(mask))
    return held if held is not None and known else value


APART = "apart"  # ranks ask about values that were made in different ways


def computed_alike(one: object, other: object) -> bool:
    """Do two values differ in nothing but the numbers they were computed from?"""
    if not isinstance(one, Symbol) or not isinstance(other, Symbol):
        return not isinstance(one, Symbol) and not isinstance(other, Symbol)
    if one is other:
        return True
    same = one.key[0] == other.key[0] and len(one.key) == len(other.key)
    return same and all(map(computed_alike, one.key, other.key))


def told_apart(one: object, other: object) -> None:
    """Two lanes hold what was computed alike from other numbers: each of the steps is the same for one lane alone."""
    if isinstance(one, Symbol) and isinstance(other, Symbol) and one is not other:
        one.alike = other.alike = False
        for mine, theirs in zip(one.key, other.key, strict=True):
            told_apart(mine, theirs)


SPELLED = "spelled"  # tag: a text, or taken from one, in which only a number or a name differs


def spelled(value: Value) -> Value:
    return Unknown(value.symbol, value.cause, value.tags | {SPELLED}, value.like) if type(value) is Unknown else value


def alike(value: Value) -> bool:
    """Texts with the rank in them answer the same to what one asks of texts: `path.startswith("s3:")`."""
    if isinstance(value, Row):
        return all(alike(held) for held in value.lanes)
    return isinstance(value, Unknown) and SPELLED in value.tags
