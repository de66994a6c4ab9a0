"""What may stand in one place, as options say, and what is done with each of them?

`POLICIES[options.policy]` is one of several classes, and `Strict() if options.strict else Lenient()` one of two things.
Nobody knows which, and all ranks have the same: whoever calls a method of it calls that of the one or of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents.by_own_index import is_this
from dtlint.machine.core import Machine
from dtlint.machine.joining import FUNCTIONS, join
from dtlint.machine.lanes import token
from dtlint.machine.logs import WHAT_IS_CALLED
from dtlint.machine.names import classes
from dtlint.machine.values import (
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Object,
    Otherwise,
    Symbol,
    Unknown,
    Value,
)

Maker = tuple[Value, Symbol]  # a class or function, and the question whether it is this one
LEADING = "leads on"  # note: classes whose methods reach what rules ask for


def field(machine: Machine, thing: Object, held: Value | None, name: str) -> Value | None:
    """What the thing, or the other that may be in its place, keeps under this name."""
    found = held
    for question, answer, other in thing.otherwise:
        there = machine.get(other, name) if isinstance(other, Object) else None
        if there is None:
            continue
        if found is None and isinstance(thing.kind, ClassRef) and classes.in_class(machine, thing.kind, name):
            continue
        sides = (found or there, there) if answer else (there, found or there)
        found = join(*sides, machine.symbols, question, None)
    return found


def method(machine: Machine, thing: Object, found: Value, name: str, mask: int) -> Value:
    """A method of a thing that may be another one: of each where its class has something to say."""
    from dtlint.machine.names import attributes

    if not thing.otherwise or not isinstance(found, Bound) or found.receiver is not thing:
        return found
    for question, answer, other in thing.otherwise:
        if isinstance(other, Object) and leads_on(machine, other.kind):
            found = either(found, (question, answer, attributes.read(machine, other, name, mask)))
    return found


def only_of_other(machine: Machine, thing: Object, name: str, mask: int) -> Value | None:
    """A method that only the other thing has: where it is called, it is there."""
    from dtlint.machine.names import attributes, classes

    for _, _, other in thing.otherwise:
        if isinstance(other, Object) and isinstance(other.kind, ClassRef):
            if classes.in_class(machine, other.kind, name) is not None:
                return attributes.read(machine, other, name, mask)
            found = only_of_other(machine, other, name, mask)
            if found is not None:
                return found
    return None


def of_maker(machine: Machine, maker: Bound, name: str, mask: int) -> Value:
    """`POLICIES[name].from_options`: of each of the classes."""
    from dtlint.machine.names import attributes

    found = attributes.read(machine, maker.function, name, mask)
    if maker.otherwise is None or not isinstance(found, Bound | FunctionRef):
        return found
    question, answer, other = maker.otherwise
    own = found if isinstance(found, Bound) else Bound(found, None)
    return either(own, (question, answer, attributes.read(machine, other, name, mask)))


def call(machine: Machine, thing: Object, mask: int) -> Value | None:
    """`policy(batch)`: the `__call__` of each."""
    owned = classes.in_class(machine, thing.kind, "__call__") if isinstance(thing.kind, ClassRef) else None
    found = method(machine, thing, Bound(owned, thing), "__call__", mask) if isinstance(owned, FunctionRef) else None
    return found if isinstance(found, Bound) and found.otherwise is not None else None


def each(machine: Machine, thing: Value, run: Callable[[Value, int], None], mask: int) -> None:
    """Whatever somebody does with a thing that may be another one, is done with the one or with the other."""
    if not isinstance(thing, Object) or not thing.otherwise:
        run(thing, mask)
        return
    on_each(machine, thing, list(thing.otherwise), run, mask)


def on_each(
    machine: Machine, thing: Object, others: Sequence[Otherwise], run: Callable[[Value, int], None], mask: int
) -> None:
    from dtlint.machine.control.branches import choose

    if not others:
        run(thing, mask)
        return
    *inner, (question, answer, other) = others

    def side(kept: bool) -> Callable[[int], int]:
        def inside(lanes: int) -> int:
            if kept:
                on_each(machine, thing, inner, run, lanes)
            else:
                each(machine, other, run, lanes)
            return lanes & ~machine.frame.left

        return inside

    choose(machine, mask, None, question, machine.current_at, lambda: WHAT_IS_CALLED, side(answer), side(not answer))


def either(found: Bound, otherwise: Otherwise) -> Bound:
    """This callable, or another one where the question has the other answer."""
    if not isinstance(otherwise[2], Bound | FunctionRef | ClassRef):
        return found
    both = copy(found) if found.otherwise is None else Bound(found, None)
    both.otherwise = otherwise
    return both


def of_table(machine: Machine, table: dict[Any, Value], index: Unknown) -> Value | None:
    """`SAVERS[options.strategy]`: who is there under a name is there where the option is that name."""
    return chosen_by(machine, [(value, is_this(machine, index, name)) for name, value in table.items()])


def maker(machine: Machine, makers: Sequence[Value], key: object) -> Value | None:
    """One of several classes or functions, nobody knows which."""
    return chosen_by(machine, [(one, machine.symbols.of("which", key, token(one))) for one in makers])


def chosen_by(machine: Machine, makers: list[Maker]) -> Value | None:
    """Those of the makers that reach what rules ask for, each with its question, or the first, which stands for all of
    which there is nothing to say."""
    first, *others = makers
    chosen = [first, *(one for one in others if leads_on(machine, one[0]))]
    if len(chosen) > 1 and not leads_on(machine, first[0]):
        chosen = chosen[1:]
    chosen = with_own_words(machine, most_derived(machine, chosen))
    made: Value | None = None
    for one, question in reversed(chosen[:FUNCTIONS]):
        made = one if made is None else either(Bound(one, None), (question, True, made))
    return made


def most_derived(machine: Machine, makers: list[Maker]) -> list[Maker]:
    """Without the classes that others of them are derived from: these say all that those say."""
    above = [
        base
        for one, _ in makers
        if isinstance(one, ClassRef)
        for base in classes.linearise(machine, one)
        if base is not one
    ]
    return [one for one in makers if not any(one[0] is base for base in above)]


def with_own_words(machine: Machine, makers: list[Maker]) -> list[Maker]:
    """Where there are too many classes to follow, those that only set what their base says otherwise are their base."""
    if len(makers) <= FUNCTIONS:
        return makers
    found: dict[int, Maker] = {}
    for one, question in makers:
        kept = speaking(machine, one) if isinstance(one, ClassRef) else one
        found.setdefault(id(kept.node) if isinstance(kept, ClassRef) else id(kept), (kept, question))
    return list(found.values())


def speaking(machine: Machine, kind: ClassRef) -> ClassRef:
    """The class, or the next one above it that has words of its own that reach what rules ask for."""
    owners = [one for one in classes.linearise(machine, kind) if isinstance(one, ClassRef)]
    return next((one for one in owners if has_words(machine, one)), kind)


def of_kind(machine: Machine, classes: list[ClassRef], key: object) -> Value | None:
    """One of the classes of a file that reach what rules ask for, where they are of one kind."""
    chosen: list[Value] = [one for one in dict.fromkeys(classes) if leads_on(machine, one)]
    if not chosen or (len(chosen) > 1 and not common_base(machine, chosen)):
        return None
    return maker(machine, chosen, key)


def only_one(machine: Machine, makers: Sequence[Value]) -> Value | None:
    """The one of these that reaches what rules ask for. Which of several goes with what else there is, only who has
    written the settings knows."""
    chosen = [one for one in dict.fromkeys(makers) if leads_on(machine, one)]
    return chosen[0] if len(chosen) == 1 else None


def of_modules(machine: Machine, base: Unknown, name: str, mask: int) -> Value | None:
    """`import_module(f"tasks.{options.task}").Task`: one of several of that name."""
    if base.symbol.key[0] != "module":  # what `import_module` gives
        return None
    from dtlint.machine.library.python import importing
    from dtlint.machine.names import attributes

    modules = machine.notes.get(importing.MODULES, {}).get(base.symbol, ())
    anywhere = modules is importing.ANY
    held = [
        attributes.of_module(machine, one, name, mask)
        for one in (importing.with_class(machine, name) if anywhere else modules)
    ]
    makers = [one for one in held if isinstance(one, ClassRef | FunctionRef)]
    if anywhere:
        return of_kind(machine, [one for one in makers if isinstance(one, ClassRef)], base.symbol)
    return maker(machine, makers, base.symbol) if makers else None


def common_base(machine: Machine, kinds: list[Value]) -> bool:
    """Do these classes inherit from one class of the project, or of a library?"""
    lines = [classes.linearise(machine, one) for one in kinds if isinstance(one, ClassRef)]
    plain = (External("builtins.object"), External("abc.ABC"))
    return any(base not in plain and all(base in line for line in lines) for line in lines[:1] for base in line)


def leads_on(machine: Machine, kind: object) -> bool:
    """Does the function reach what rules ask for, or a method of the class or of one that it inherits from?"""
    from dtlint.machine.functions.following import leading_on

    if isinstance(kind, FunctionRef) and isinstance(kind.node, ir.Function):
        return not kind.node.tokens.isdisjoint(leading_on(machine, kind.path)[1])
    if not isinstance(kind, ClassRef):
        return False
    known: dict[int, bool] = machine.notes.setdefault(LEADING, {})
    if id(kind.node) not in known:
        owners = [one for one in classes.linearise(machine, kind) if isinstance(one, ClassRef)]
        known[id(kind.node)] = any(has_words(machine, one) for one in owners)
    return known[id(kind.node)]


def has_words(machine: Machine, kind: ClassRef) -> bool:
    """Does its own body reach what rules ask for?"""
    from dtlint.machine.functions.following import leading_on

    return not kind.node.tokens.isdisjoint(leading_on(machine, kind.path)[1])
