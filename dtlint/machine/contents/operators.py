"""What do operators make of values?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from dtlint.machine import library
from dtlint.machine.contents import containers, dictionaries, filled_by, keys_of_some, plain, sets
from dtlint.machine.contents.comparisons import COMPARISONS
from dtlint.machine.contents.linear import difference, total
from dtlint.machine.contents.opaque import COMPUTED, deep_cause, opaque
from dtlint.machine.contents.presence import ALIKE, ALWAYS, made_on_one_side, own_gradient, perhaps_not_made, presence
from dtlint.machine.contents.truth import compared_length, truth_of
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.computing import metrics, provenance
from dtlint.machine.library.feeding import filled_shares
from dtlint.machine.library.meeting import roots
from dtlint.machine.library.python import options
from dtlint.machine.values import (
    BY_SHARE,
    FALSE,
    NONE,
    THERE,
    TRUE,
    ClassRef,
    Const,
    External,
    Member,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
    content,
    lane_value,
)

MOST_DIGITS = 64  # of a power: beyond it computing takes its time


def power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > MOST_DIGITS or abs(base) > 2**MOST_DIGITS:
        raise OverflowError
    return base**exponent


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": power,
}


ONE = Const(1)
SHORT = 16  # repetitions of a tuple that are written out


def arithmetic(machine: Machine, op: str, left: Value, right: Value) -> Value:
    if op == "+" and (counted_on(machine, left, right) or counted_on(machine, right, left)):
        return machine.rank_row(machine.world.ranks(), "rank", "counted on from the ranks of the nodes before it")
    for one, other in ((left, right), (right, left)) if op == "*" else ():
        if one == ONE and isinstance(one, Const) and one.scale is None and isinstance(other, Unknown):
            return other  # `sign * score`, where the sign is known
    return map_lanes(lambda one, other: arithmetic_one(machine, op, one, other), (left, right), machine.world)


def counted_on(machine: Machine, local: Value, before: Value) -> bool:
    """`local_rank + node * per_node`: the local rank, and a product that nobody knows and that is no number of turns,
    is the rank among all."""
    if not isinstance(local, Row) or local.cause.kind != "local rank" or not isinstance(before, Unknown):
        return False
    if before.cause is not None or before.symbol.key[0] != "op *":
        return False
    given = all(isinstance(part, Symbol) and part.key[0] in ("attr", "parameter") for part in before.symbol.key[1:])
    return given and tuple(getattr(lane, "value", None) for lane in local.lanes) == machine.world.local_ranks()


def arithmetic_one(machine: Machine, op: str, left: Value, right: Value) -> Value:
    if isinstance(left, Const) and isinstance(right, Const) and op in ARITHMETIC:
        try:
            result = ARITHMETIC[op](left.value, right.value)
        except Exception:
            return opaque(machine, f"op {op}", left, right)
        if isinstance(result, str | bytes | tuple) and len(result) > 400:
            return opaque(machine, f"op {op}", left, right)
        return Const(result, scale_of(op, left, right) if isinstance(result, int | float) else None)
    if isinstance(left, Tuple) and isinstance(right, Tuple) and op == "+":
        return Tuple(left.items + right.items)
    if op == "*" and (isinstance(left, Tuple) or isinstance(right, Tuple)):
        part, times = (left, few(right)) if isinstance(left, Tuple) else (right, few(left))
        if isinstance(part, Tuple) and times is not None:
            return Tuple(part.items * times)
    if op == "+" and isinstance(left, Object) and left.kind == "list":
        return containers.concatenate(machine, left, right)
    if op == "+" and (filled := filled_shares.filled(machine, left, right)) is not None:
        return filled
    for one, other in ((left, right), (right, left)) if op == "*" else ():
        if isinstance(one, Object) and one.kind == "list":
            return containers.repeat(machine, one, other)
    if op in sets.OPERATORS and (several := sets.as_set(machine, left, right)) is not None:
        return sets.combined(machine, op, several, right)
    if op == "|" and (either := either_class(left, right)) is not None:
        return either
    if op == "|" and (dictionaries.is_plain(left) or dictionaries.is_plain(right)):
        return dictionaries.united(machine, left, right)
    left, right = content(left), content(right)
    if op == "/" and isinstance(right, Unknown):
        metrics.divided_by(machine, right)
    if op == "-" and isinstance(left, Unknown) and left.symbol.key[0] in ("op +", "op -", "op *"):
        rest = difference(left, right)
        if rest is not None:
            return rest
    if op == "+" and isinstance(right, Unknown) and right.symbol.key[0] == "op -":
        rest = total(left, right)
        if rest is not None:
            return rest
    if op == "*" and FALSE in (left, right) and (is_setting(left) or is_setting(right)):
        return Const(0)
    made = opaque(machine, f"op {op}", left, right)
    if op == "*":
        quotient = by_reciprocal(machine, left, right) or by_reciprocal(machine, right, left)
        if quotient is not None:
            return Unknown(quotient, made.cause, made.tags, made.like)
        return metrics.for_all(left, right, made)
    if op == "-":
        filled_shares.subtracted(machine, left, right, made)
    return made


def either_class(left: Value, right: Value) -> Tuple | None:
    """`int | None`, `Batch | dict | list`: as good as a tuple of classes to whoever asks `isinstance`."""
    sides = [side.items if isinstance(side, Tuple) else (side,) for side in (left, right)]
    kinds = [External("types.NoneType") if kind == NONE else kind for side in sides for kind in side]
    return Tuple(tuple(kinds)) if all(map(is_class, kinds)) else None


def is_class(value: Value) -> bool:
    """A class of the program, of Python's own, or of a library, as far as its name tells."""
    if isinstance(value, External):
        return value.name.startswith(("builtins.", "types.")) or value.name.rpartition(".")[2][:1].isupper()
    return isinstance(value, ClassRef)


def by_reciprocal(machine: Machine, value: Value, factor: Value) -> Symbol | None:
    """`loss * share`, where that is `1 / len(window)`: the loss is divided by as many as there are."""
    if not isinstance(value, Unknown) or not isinstance(factor, Unknown) or factor.symbol.key[0] != "op /":
        return None
    over, by = factor.symbol.key[1:]
    return machine.symbols.of("op /", token(value), by) if over in (token(ONE), token(Const(1.0))) else None


def is_setting(value: Value) -> bool:
    """`options.verbosity * (rank == 0)`: a number that the program was given, and no tensor."""
    if not isinstance(value, Unknown) or value.cause is not None or value.tags:
        return False
    return value.symbol.key[0] in ("attr", "item")


def few(times: Value) -> int | None:
    """How often a tuple is repeated, where it stays short."""
    known = isinstance(times, Const) and type(times.value) is int and 0 <= times.value <= SHORT and times.scale is None
    return int(times.value) if known and isinstance(times, Const) else None


def scale_of(op: str, left: Const, right: Const) -> str | None:
    if "rank" in (left.scale, right.scale):
        return "rank"
    if left.scale is None and right.scale == "world" and op in ("/", "//"):
        return "per world"  # `512 // (8 * world)`: whoever divides by it multiplies by the world
    return left.scale or right.scale


def both(machine: Machine, left: Value, right: Value) -> Value:
    def one(a: Value, b: Value) -> Value:
        known_a, known_b = truth_of(machine, a)[0], truth_of(machine, b)[0]
        if known_a is False or known_b is False:
            return FALSE
        if known_a:
            return b
        return a if known_b else opaque(machine, "and", a, b)

    return map_lanes(one, (left, right), machine.world)


def of_each_lane(machine: Machine, held: Value) -> Value:
    """A tuple of which the items differ between lanes, as the tuple that each lane has."""
    cause = next((one.cause for one in held.items if type(one) is Row), None) if type(held) is Tuple else None
    if cause is None or type(held) is not Tuple:
        return held
    lanes = (Tuple(tuple(lane_value(one, lane) for one in held.items)) for lane in range(machine.world.size))
    return Row(tuple(lanes), cause)


def comparison(machine: Machine, op: str, left: Value, right: Value, mask: int) -> Value:
    left, right = library.noticing.compared(machine, left, right)
    if op == "in":
        library.noticing.looked_for(machine, right, op, (left,))
    if op in ("is", "is not") and right == NONE:
        if own_gradient(left):
            return truthy(op == "is not")
        there = roots.there(machine, left)
        if there is not None:
            return map_lanes(lambda one: truthy((one == TRUE) == (op == "is not")), (there,), machine.world)
    if op in ("in", "not in") and containers.is_text(left) and containers.of_unknown_make(right):
        asked = machine.unknown("compare in", token(left), token(right), tags=right.tags)
        return asked if op == "in" else machine.unknown("not", asked.symbol, tags=right.tags)
    if op in ("in", "not in"):
        certain = keys_of_some.asked(machine, right, left, truthy(op == "in"), truthy(op != "in"))
        if certain is not None:
            return certain
    held = filled_by.holders(right, mask) if op in ("in", "not in") and not isinstance(left, Const) else None
    if held is not None:  # for those who have put nothing there, nothing is in it
        asked = machine.unknown("filled", token(right)[1], token(left), cause=held[1])  # type: ignore[index]  # an object
        return asked if op == "in" else machine.unknown("not", asked.symbol, cause=held[1])
    if op in ("in", "not in") and isinstance(right, Object) and right.kind == "builtins.range":
        within = in_range(machine, left, right)
        if within is not None:
            return within if op == "in" else map_lanes(lambda one: truthy(one == FALSE), (within,), machine.world)
    right = of_each_lane(machine, right) if op in ("in", "not in") else right
    answer = map_lanes(lambda one, other: compare_one(machine, op, one, other), (left, right), machine.world)
    return nobody_lacks(left, answer, op) if op in ("is", "is not") and right == NONE else answer


HANDED_OVER = frozenset(
    {"parameter", "attr", "attribute", "item", "any", "phi", "split", "loop"}
)  # others may have put None there


def nobody_lacks(held: Value, answer: Value, op: str) -> Value:
    """Ranks that hold the results of different calls hold something, where nobody is known to hold None: `x = zeros()`,
    and on the first rank `x = sample()`, of which nobody knows what it gives."""
    if not isinstance(held, Row) or not isinstance(answer, Row):
        return answer
    there = truthy(op == "is not")
    for one, answered in zip(held.lanes, answer.lanes, strict=True):
        made = isinstance(one, Unknown) and one.cause is None and one.symbol.key[0] not in HANDED_OVER
        if answered != there and (isinstance(answered, Const) or not made):
            return answer
    return there


def in_range(machine: Machine, number: Value, numbers: Object) -> Value | None:
    """`rank in range(first, last)`, where each lane knows the number and the bounds."""
    asked = (number, *(numbers.attributes[name] for name in ("start", "stop", "step")))
    known = [lane for one in asked for lane in (one.lanes if isinstance(one, Row) else (one,))]
    if not all(isinstance(lane, Const) and type(lane.value) is int for lane in known):
        return None

    def within(one: Any, first: Any, last: Any, step: Any) -> Value:
        return truthy(step.value != 0 and one.value in range(first.value, last.value, step.value))

    return map_lanes(within, asked, machine.world)


def named_items(machine: Machine, value: Value) -> Value:
    """A named tuple is compared like the tuple that it is."""
    items = containers.items_of(machine, value) if isinstance(value, Object) and "order" in value.facts else None
    return value if items is None else Tuple(items)


def truthy(value: bool) -> Const:
    return TRUE if value else FALSE


def compare_one(machine: Machine, op: str, left: Value, right: Value) -> Value:
    if op in BY_IDENTITY and isinstance(left, Unknown) and is_the_only_one(right):
        op = BY_IDENTITY[op]
    if op in ("is", "is not") and NONE in (left, right) and (isinstance(left, Object) or isinstance(right, Object)):
        made = perhaps_not_made(machine, left if isinstance(left, Object) else right)
        if made is None:
            return truthy(op == "is not")  # a tensor is there, whatever it holds
        return Unknown(made) if op == "is not" else machine.unknown("not", made)
    left, right = content(named_items(machine, left)), content(named_items(machine, right))
    if isinstance(left, Const) and isinstance(right, Const):
        if op in COMPARISONS and not scale_decides_nothing(op, left, right):
            try:
                return truthy(bool(COMPARISONS[op](left.value, right.value)))
            except Exception:
                pass
        elif op in ("is", "is not"):
            equal = left.value is right.value or (type(left.value) is type(right.value) and left.value == right.value)
            return truthy(equal == (op == "is"))
        elif op in ("in", "not in") and isinstance(right.value, str) and isinstance(left.value, str):
            return truthy((left.value in right.value) == (op == "in"))
        elif op in ("in", "not in") and type(left.value) is type(right.value) is int:  # flags: is it one of these?
            return truthy((left.value & right.value == left.value) == (op == "in"))
        return opaque(machine, f"compare {op}", left, right)
    if op in ("is", "is not", "==", "!=") and (left == NONE or right == NONE):
        held = right if left == NONE else left
        exists = present(machine, held)
        if exists is not None:
            return truthy(exists == (op in ("is not", "!=")))
        if isinstance(held, Unknown):
            made = made_on_one_side(machine, held.symbol) if held.cause is None else None
            if made is not None:
                return Unknown(made) if op in ("is not", "!=") else machine.unknown("not", made)
            alike = THERE in held.tags or presence(machine.knowledge, held) == ALIKE
            cause = None if alike else held.cause
            tags = containers.without_lengths(held.tags)
            asked = machine.unknown("is none", held.symbol, cause=cause, tags=tags)
            if op in ("is", "=="):
                return asked
            return machine.unknown("not", asked.symbol, cause=cause, tags=tags)
    if op in ("==", "!="):
        side = side_of_placeholder(left, right) or side_of_placeholder(right, left)
        if side is not None:
            question, holds = side
            return machine.unknown("not", question) if holds is (op == "!=") else Unknown(question, None)
    if op in ("is", "is not") and isinstance(left, Object) and isinstance(right, Object):
        return truthy((left is right) == (op == "is"))
    if op in ("is", "is not", "==", "!=") and is_own_type(left) and is_own_type(right):  # `type(sizes) is int`
        return truthy((left == right) == (op in ("is", "==")))
    among = containers.items_of(machine, right) if op in ("in", "not in") and is_own_type(left) else None
    if among is not None and all(map(is_own_type, among)):
        return truthy((left in among) == (op == "in"))
    known = compared_plainly(machine, op, left, right) or compared_length(op, left, right)
    if known is not None:
        return known
    if op in ("in", "not in"):
        found = containers.contains(machine, right, left)
        if found is not None:
            return truthy(found == (op == "in"))
        kept = containers.is_text(left) and provenance.is_taken_up(machine, right)
        if kept or containers.names_a_part(left, right):
            asked = machine.unknown("compare in", token(left), token(right), tags=right.tags)
            return asked if op == "in" else machine.unknown("not", asked.symbol, tags=right.tags)
        if isinstance(right, Object) and right.kind == "dict" and dictionaries.is_open(right):
            asked = dictionaries.has_key(machine, right, left)
            return asked if op == "in" else machine.unknown("not", asked.symbol, cause=asked.cause, tags=asked.tags)
    if op in ("!=", "not in", "is not"):
        # the negation of a question already asked shares its symbol
        positive = {"!=": "==", "not in": "in", "is not": "is"}[op]
        asked = opaque(machine, f"compare {positive}", left, right)
        cause = asked.cause if op != "!=" or not both_own(machine, left, right) else None
        return machine.unknown("not", asked.symbol, cause=cause, tags=asked.tags)
    asked = opaque(machine, f"compare {op}", left, right)
    return Unknown(asked.symbol, None, asked.tags) if op == "==" and both_own(machine, left, right) else asked


def is_own_type(value: Value) -> bool:
    """One of Python's own classes: nothing else goes by its name."""
    return isinstance(value, External) and value.name.startswith("builtins.")


BY_IDENTITY = {"is": "==", "is not": "!="}


def is_the_only_one(value: Value) -> bool:
    """`State.SAVING`, of which there is one, so that what is equal to it is it; so are True and False."""
    return isinstance(value, Member) or (isinstance(value, Const) and isinstance(value.value, bool))


def compared_plainly(machine: Machine, op: str, left: Value, right: Value) -> Value | None:
    """Two things of which every part is known; of a list and a text is known that they are not the same."""
    if op not in PLAIN_QUESTIONS or isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    known = plain.computed(machine, PLAIN_QUESTIONS[op], (left, right), machine.world.full)
    if known is not None or op not in ("==", "!="):
        return known
    kinds = [plain.kind_of(side) for side in (left, right)]
    return truthy(op == "!=") if None not in kinds and kinds[0] is not kinds[1] else None


PLAIN_QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **COMPARISONS,
    "in": lambda one, several: one in several,
    "not in": lambda one, several: one not in several,
}


def both_own(machine: Machine, left: Value, right: Value) -> bool:
    """`set(stage_peers) == set(data_peers)`: whether two things of this rank are the same, other ranks of a regular
    grid may well answer alike. Who it is itself, is another question."""
    causes = [deep_cause(machine, (value,)) for value in (left, right) if not isinstance(value, Const | Row)]
    return len(causes) == 2 and all(cause is not None and cause.kind in BY_SHARE for cause in causes)


def side_of_placeholder(value: Value, number: Value) -> tuple[Symbol, bool] | None:
    """`loss = model(x) if late else 0`: whether it is 0 asks for the side, as what a model gives never is exactly."""
    if not isinstance(number, Const) or not isinstance(value, Unknown) or value.cause is None:
        return None
    key = value.symbol.key
    if key[0] != "phi" or len(key) != 4 or not isinstance(key[1], Symbol):
        return None
    computed = any(isinstance(tag, tuple) and tag[0] in COMPUTED for tag in value.tags)
    sides = [side == token(number) and not isinstance(side, Symbol) for side in key[2:]]
    return (key[1], sides[0]) if computed and sides in ([True, False], [False, True]) else None


# spellings of "more than one" and its contrary with a two, by whether the size stands on the left
ALONE_OR_NOT = {True: ("<", ">="), False: (">", "<=")}


def scale_decides_nothing(op: str, left: Const, right: Const) -> bool:
    """Our world's size compared with a literal says nothing about the user's cluster, but it is more than one."""
    if bool(left.scale) == bool(right.scale) or "rank" in (left.scale, right.scale):
        return False
    literal = right.value if left.scale else left.value
    if not isinstance(literal, int):
        return True
    return literal not in (0, 1, -1) and not (literal == 2 and op in ALONE_OR_NOT[bool(left.scale)])


def present(machine: Machine, value: Value) -> bool | None:
    if isinstance(value, Const):
        return value.value is not None
    if isinstance(value, Unknown):
        if THERE in value.tags:
            return None
        if (value.like is not None and value.cause is None) or presence(machine.knowledge, value) == ALWAYS:
            return True
        return True if options.is_there(machine, value) else None
    return True
