"""What does a train state of a library hold under a field of the program's own, `state.key`?

`TrainState.create(…, key=key)` and `state.apply_gradients(grads=…)` make states that nobody looks into. A field that no
step gives another value holds what it did in the state before, in the next turn of a loop as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dtlint.machine import attributes
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax_facts import device_mapping, fact, has, with_facts
from dtlint.machine.library.jax_keys import one_of, root_of
from dtlint.machine.logs import Loop
from dtlint.machine.values import Symbol, Unknown, Value

STATES = "state fields"  # fact of the run: by the symbol of a state, how it was made
LEARNED = frozenset({"step", "params", "opt_state"})  # what every step of the optimizer makes anew
OWN = LEARNED | {"apply_fn", "tx"}
ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Made:
    """`given` are the fields that were handed over, `changed` those that are others than in the state before."""

    before: Value | None
    given: dict[str, Value]
    changed: frozenset[str]


def begun(machine: Machine, state: Unknown, call: Invocation) -> None:
    """`TrainState.create(…)`"""
    note(machine, state, None, call, frozenset())


def stepped(machine: Machine, state: Unknown, before: Value, call: Invocation) -> None:
    """`state.apply_gradients(grads=…)`"""
    note(machine, state, before, call, LEARNED)


def copied(machine: Machine, state: Value, call: Invocation) -> None:
    """`state.replace(params=…)`"""
    before = call.receiver
    if isinstance(state, Unknown) and before is not None and not call.arguments:
        note(machine, state, before, call, frozenset())


def note(machine: Machine, state: Unknown, before: Value | None, call: Invocation, changed: frozenset[str]) -> None:
    if any(name is None for name, _ in call.keywords):
        return  # `**fields`: it may be any of them
    given = {str(name): value for name, value in call.keywords}
    machine.facts.setdefault(STATES, {})[state.symbol] = Made(before, given, changed | frozenset(given))


def read(machine: Machine, state: Unknown, name: str, mask: int) -> Value | None:
    """What is under the name in the state that it comes from; None where a step has left something else there."""
    known: dict[Symbol, Made] = machine.facts.get(STATES, {})
    if not known or name in OWN:
        return None
    made = known.get(unmapped(state.symbol))
    if made is not None and made.before is not None:
        given = made.given.get(name)
        return attributes.read(machine, made.before, name, mask) if given is None else on_device(machine, given)
    key = key_put(known, state.symbol, name)
    if key is None:
        return None
    # the state may have been copied to the devices since, which its tags say, and what was handed over does not
    return machine.unknown("attr", state.symbol, name, cause=state.cause, tags=state.tags | {fact("key", root_of(key))})


def unmapped(state: Symbol) -> Symbol:
    """The state that a mapped step returns, and not the copies of it that its caller gets."""
    while state.key[0] == "mapped" and isinstance(state.key[1], Symbol):
        state = state.key[1]
    return state


def on_device(machine: Machine, given: Value) -> Value:
    """Of keys that were put there for all devices, a mapped step sees its own."""
    mapping = device_mapping(machine)
    key = one_of(machine, given, None) if mapping is not None and has(given, "keys") else None
    if mapping is None or key is None:
        return given
    return with_facts(machine, key, [fact("varies", axis) for axis in mapping.axes or ()])


def key_put(known: dict[Symbol, Made], state: Symbol, name: str) -> Value | None:
    """The key, or keys, that were put there: before a loop, maybe, in which the state is another one in every turn."""
    for _ in range(ENOUGH):
        made = known.get(unmapped(state))
        before: object = None
        if made is not None and name in made.given:
            return made.given[name] if has(made.given[name], "key") or has(made.given[name], "keys") else None
        if made is not None:
            before = made.before.symbol if isinstance(made.before, Unknown) else None
        elif state.key[0] == "loop" and len(state.key) > 3:
            before = state.key[3]  # what the name held before the loop
        if not isinstance(before, Symbol):
            return None
        state = before
    return None


def note_kept(machine: Machine, loop: Loop, states: Iterable[Symbol], after: Value) -> None:
    """What a turn of a loop leaves in these states for the next one."""
    for state in states:
        changed = changed_since(machine, state, after)
        if changed is not None:
            loop.lasting[state] = changed


def changed_since(machine: Machine, before: Symbol, after: Value) -> frozenset[str] | None:
    """The fields that are others in this state than in the one before; None where it does not come from that one."""
    known: dict[Symbol, Made] = machine.facts.get(STATES, {})
    found: frozenset[str] = frozenset()
    for _ in range(ENOUGH):
        if not isinstance(after, Unknown):
            return None
        if unmapped(after.symbol) is before:
            return found
        made = known.get(unmapped(after.symbol))
        if made is None or made.before is None:
            return None
        found, after = found | made.changed, made.before
    return None
