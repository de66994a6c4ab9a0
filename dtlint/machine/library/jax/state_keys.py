"""Does a step draw from the key of the state that it is given, and hand on a state with the same key?

`state.apply_gradients(grads=grads)` and `state.replace(params=params)` leave every other field as it was. Which state
one was made from, and what was put into it, is remembered for the moment at which the step returns.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.values import Const, Symbol, Unknown, Value

FOLLOWS = "jax states that follow"  # fact of the run: by the symbol of a state, the one before and the fields put in
DRAWN_FROM = (
    "jax keys of states"  # fact of the run: by the symbol of a state, its fields that were drawn from, and where
)
KEPT = "kept key"  # note: the key of a state is used, and the state that follows has it still
DEEPEST = 16

Before = tuple[Symbol, frozenset[str]]


def follows(machine: Machine, before: Value, after: Value, call: Invocation) -> None:
    """`state.apply_gradients(grads=grads, key=following)`"""
    names = frozenset(name for name, _ in call.keywords)
    if isinstance(before, Unknown) and isinstance(after, Unknown) and None not in names:
        machine.facts.setdefault(FOLLOWS, {})[after.symbol] = (before.symbol, names)


def used(machine: Machine, key: Value | None, call: Invocation) -> None:
    """A library draws from this key, or splits it."""
    way = alike_in_each_step(key.symbol).key if isinstance(key, Unknown) else ()
    if way[:1] != ("attr",) or len(way) != 3 or not isinstance(way[1], Symbol):
        return
    still = machine.knowledge.still
    if any(name in still and value == Const(still[name]) for name, value in call.keywords if name):
        return  # nothing is drawn
    fields = machine.facts.setdefault(DRAWN_FROM, {}).setdefault(way[1], {})
    fields.setdefault(way[2], jax_facts.place(machine))


def alike_in_each_step(key: Symbol) -> Symbol:
    """`fold_in(state.key, axis_index("data"))`: another key on each device, and the same one in the next step."""
    while key.key[0] == "fold_in" and isinstance(key.key[1], Symbol):
        data = key.key[2]
        if isinstance(data, Symbol) and data.key[0] != "axis index":
            break
        key = key.key[1]
    return key


def returned(machine: Machine, given: tuple[Value, ...], result: Value, handed: Value, mask: int) -> None:
    """A compiled or mapped step gives `result`, which its caller gets as `handed`."""
    following = machine.facts.get(FOLLOWS)
    if following is None:
        return
    entered = {leaf.symbol for value in given for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)}
    for made, got in zip(jax_facts.leaves(result), jax_facts.leaves(handed), strict=False):
        if not isinstance(made, Unknown) or not isinstance(got, Unknown) or made.symbol not in following:
            continue
        if got.symbol is not made.symbol:
            following[got.symbol] = (made.symbol, frozenset())
        for state, put in states_before(following, made.symbol):
            for name, where in machine.facts.get(DRAWN_FROM, {}).get(state, {}).items() if state in entered else ():
                if name not in put:
                    steps = (jax_facts.step_at(where, f"`{name}` of the state is drawn from here"),)
                    jax_facts.note(machine, KEPT, mask, where, steps, state=state, field=name)


def states_before(following: dict[Symbol, tuple[Symbol, frozenset[str]]], state: Symbol) -> Iterator[Before]:
    """The states that this one was made from, latest first, with the fields that were put in since."""
    put: frozenset[str] = frozenset()
    for _ in range(DEEPEST):
        if state not in following:
            return
        state, names = following[state]
        put |= names
        yield state, put
