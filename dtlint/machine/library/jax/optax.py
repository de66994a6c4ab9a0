"""What do Optax's gradient transformations run?

A transformation that the project makes of functions runs them; a chain runs its links one after another, and what is
put around a transformation (accumulation, a mask) runs it. What a library's own link does to gradients changes nothing
about which device they come from.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import dictionaries
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation, Keywords
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.python import run_later
from dtlint.machine.names import subscripts
from dtlint.machine.values import NONE, Bound, Const, External, Object, Tuple, Unknown, Value

KIND = "optax.GradientTransformation"
STEPS_BY = "steps by"  # fact of a train state: the transformation of the project's own that its gradients go through
HELD = "jax transformations"  # fact of the run: these transformations, by number


def transformation(machine: Machine, call: Invocation) -> Value | None:
    """`optax.GradientTransformation(init, update)` of functions of the project."""
    jax_flow.started(machine)
    found = {name: call.get(name) for name in ("init", "update")}
    if not run_later.project_function(machine, found["update"]):
        return None
    held = machine.new(KIND, call.mask)
    held.facts["order"] = ("init", "update")
    for name, value in found.items():
        if value is not None:
            held.attributes[name] = value
    return known_as(machine, call, held)


def stateless(machine: Machine, call: Invocation) -> Value | None:
    """`optax.stateless(f)`: the project's function of updates and parameters."""
    jax_flow.started(machine)
    function = call.get("f")
    if function is None or not run_later.project_function(machine, function):
        return None
    held = machine.new(KIND, call.mask)
    held.attributes["update"] = Bound(External("optax.Stateless.update"), held)
    held.attributes["f"] = function
    return known_as(machine, call, held)


def known_as(machine: Machine, call: Invocation, held: Object) -> Value:
    """Facts travel with an unknown value; what it is like can be called."""
    from dtlint.machine.library.jax import hosts as jax_hosts
    from dtlint.machine.library.python import builtins as python

    made = jax_hosts.unlisted(machine, call) or python.opaque(machine, call)
    if not isinstance(made, Unknown):
        return made
    return Unknown(made.symbol, made.cause, made.tags, held)


def chain(machine: Machine, call: Invocation) -> Value | None:
    """`optax.chain(first, second)`, where some link is the project's own."""
    jax_flow.started(machine)
    return linked(machine, call, call.arguments)


def around(machine: Machine, call: Invocation) -> Value | None:
    """`optax.MultiSteps(inner, every)`, `optax.multi_transform({name: inner}, labels)`: a chain of what is inside."""
    jax_flow.started(machine)
    inner = call.get("inner")
    if isinstance(inner, Object) and dictionaries.is_plain(inner):
        return linked(machine, call, tuple(one for one in inner.attributes.values() if own(one)))
    return linked(machine, call, () if inner is None else (inner,))


def linked(machine: Machine, call: Invocation, links: tuple[Value, ...]) -> Value | None:
    if not any(own(link) for link in links):
        return None
    held = machine.new(KIND, call.mask)
    held.attributes["update"] = Bound(External("optax.Chain.update"), held)
    held.attributes["links"] = Tuple(links)
    return known_as(machine, call, held)


def own(value: Value) -> bool:
    return isinstance(value, Unknown) and isinstance(value.like, Object) and value.like.kind == KIND


def held_by_state(machine: Machine, call: Invocation) -> set[jax_facts.Tag]:
    """`TrainState.create(…, tx=chain)`"""
    tx = next((value for name, value in call.keywords if name == "tx"), None)
    if tx is None or not own(tx):
        return set()
    machine.objects += 1
    machine.facts.setdefault(HELD, {})[machine.objects] = tx
    return {jax_facts.fact(STEPS_BY, machine.objects)}


def of_state(machine: Machine, tags: set[Any], state: Value, grads: Value, mask: int) -> Value | None:
    """What `state.apply_gradients(grads=grads)` takes off the parameters, where the state's transformation is known."""
    held = jax_facts.words(tags, STEPS_BY)
    if len(held) != 1:
        return None
    return stepped(machine, machine.facts[HELD][held[0][2]], (grads, machine.fresh("optimizer state"), state), (), mask)


def stepped(machine: Machine, link: Value, given: tuple[Value, ...], keywords: Keywords, mask: int) -> Value:
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes

    step = attributes.read(machine, link, "update", mask)
    return subscripts.item(machine, calls.call_value(machine, step, given, keywords, mask, None), Const(0), mask)


def update(machine: Machine, call: Invocation) -> Value | None:
    """`chain.update(updates, state, params)`: through every link."""
    chained = call.receiver
    if not isinstance(chained, Object) or not call.values:
        return None
    links = chained.attributes["links"]
    updates, *others = call.arguments or call.values
    assert isinstance(links, Tuple)
    for link in links.items:
        if own(link):
            updates = stepped(machine, link, (updates, *others), call.keywords, call.mask)
        else:
            updates = opaque(machine, "optax.update", updates)
    return Tuple((updates, machine.fresh("optimizer state")))


def update_stateless(machine: Machine, call: Invocation) -> Value | None:
    """`stateless(f).update(updates, state, params)`."""
    from dtlint.machine.functions import calls

    updates = call.get("updates")
    if not isinstance(call.receiver, Object) or updates is None:
        return None
    function, given = call.receiver.attributes["f"], (updates, call.get("params") or NONE)
    return Tuple((calls.call_value(machine, function, given, (), call.mask), machine.fresh("optimizer state")))


MODELS: dict[str, Any] = {
    "optax_transformation": transformation,
    "optax_stateless": stateless,
    "optax_stateless_update": update_stateless,
    "optax_chain": chain,
    "optax_around": around,
    "optax_chain_update": update,
}
