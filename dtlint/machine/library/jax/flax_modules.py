"""What does a Flax module of the project do when `apply` runs it inside a mapped function?

Its result is what any network makes of its input. What counts is what happens on the way: keys that it draws from,
reductions over the devices, axes that its layers name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import collectives as jax_collectives
from dtlint.machine.library.jax import copies as jax_copies
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import haiku
from dtlint.machine.library.jax import keys as jax_keys
from dtlint.machine.names import classes
from dtlint.machine.values import FALSE, NONE, Bound, ClassRef, Const, FunctionRef, Object, Tuple, Unknown, Value

MODULE = "flax.linen.Module"
MESH = "jax.sharding.Mesh"
FUNCTIONS = "flax apply"  # fact of the run: modules whose `apply` some state holds
INITS = frozenset({"init", "init_with_output"})
OWN = frozenset({"rngs", "mutable", "method", "capture_intermediates"})  # keywords of `apply` itself
FORM = "<form of a model>"  # kind of what `nnx.split` gives first, and its fact: of which model it is the form
DEEPEST = 14
NOWHERE: frozenset[Any] = frozenset()
AXIS = "axis"  # word in the name of a field


def held_by_state(machine: Machine, call: Invocation) -> None:
    """`TrainState.create(apply_fn=model.apply, …)`"""
    given = next((value for name, value in call.keywords if name == "apply_fn"), None)
    module = given.receiver if isinstance(given, Bound) else None
    if is_module(machine, module):
        machine.facts.setdefault(FUNCTIONS, {})[id(module)] = module


def is_module(machine: Machine, value: Value | None) -> bool:
    return isinstance(value, Object) and isinstance(value.kind, ClassRef) and classes.is_a(machine, value, MODULE)


def applied(machine: Machine, call: Invocation) -> frozenset[Any]:
    """`model.apply(variables, x)`, `state.apply_fn(variables, x)`: how does the answer lie on the devices of hosts?"""
    last = call.name.rpartition(".")[2]
    if last not in ("apply", "apply_fn") or len(machine.stack) > DEEPEST:
        return NOWHERE
    module: Value | None = call.receiver
    if last == "apply_fn" and not is_module(machine, module):
        known = list(machine.facts.get(FUNCTIONS, {}).values())
        module = known[0] if len(known) == 1 else None
    if any(name == "method" for name, _ in call.keywords):
        return NOWHERE
    spread = spread_in(machine, call.arguments[1:])
    if isinstance(module, Object) and isinstance(module.kind, str):  # a layer, or a row of them
        return spread
    if not is_module(machine, module):
        return NOWHERE
    assert isinstance(module, Object) and isinstance(module.kind, ClassRef)
    jax_copies.applied(machine, call.arguments[0] if call.arguments else None, call.mask)
    if jax_facts.device_mapping(machine) is None and not lays_out(machine, module) and not spread:
        if not machine.facts.get("jax compiled") or not names_axis(module):
            return NOWHERE
    answer = run(machine, module, call, False)
    return spread & spread_in(machine, (answer,)) if answer is not None else NOWHERE


def spread_in(machine: Machine, values: tuple[Value, ...]) -> frozenset[Any]:
    """Of which axes do other hosts hold a part of this?"""
    if not machine.facts.get("jax hosts"):
        return NOWHERE
    return frozenset(jax_facts.words(jax_facts.deep(values), "global"))


def initialised(machine: Machine, call: Invocation) -> None:
    """`model.init(key, x)` runs the module as well, as a rule outside of what binds the axes that its layers name."""
    module = call.receiver
    if call.name.rpartition(".")[2] not in INITS or len(machine.stack) > DEEPEST or not is_module(machine, module):
        return
    assert isinstance(module, Object)
    for _, key in jax_facts.paths(call.arguments[0] if call.arguments else NONE, 2):
        jax_keys.batch_used_as_key(machine, call, key)
    if names_axis(module) and not any(name == "method" for name, _ in call.keywords):
        run(machine, module, call, True)


def run(machine: Machine, module: Object, call: Invocation, first: bool) -> Value | None:
    from dtlint.machine.functions import calls

    assert isinstance(module.kind, ClassRef)
    method = classes.in_class(machine, module.kind, "__call__")
    if not isinstance(method, FunctionRef):
        return None
    keywords = tuple((name, value) for name, value in call.keywords if name not in OWN)
    running = machine.facts.setdefault(haiku.KEYS, [])
    outer = {name: machine.facts.get(name) for name in (jax_facts.FIRST_RUN, jax_facts.UNSURE)}
    running.append(next((value for name, value in call.keywords if name == "rngs"), None))
    machine.facts.update({jax_facts.FIRST_RUN: first, jax_facts.UNSURE: jax_facts.questions(machine)})
    call.extra[jax_keys.SEEN_INSIDE] = True
    try:
        return calls.follow(machine, method, module, call.arguments[1:], keywords, call.mask)
    finally:
        running.pop()
        machine.facts.update(outer)


def lays_out(machine: Machine, module: Object) -> bool:
    """Is there a mesh, around it or held by it, to say how its activations lie on the devices?"""
    if machine.facts.get("jax mesh") is not None:
        return True
    return any(isinstance(held, Object) and held.kind == MESH for held in module.attributes.values())


def names_axis(module: Object) -> bool:
    """Was it given the name of an axis, to reduce over?"""
    return any(
        isinstance(name, str) and AXIS in name.split("_") and isinstance(held, Const) and isinstance(held.value, str)
        for name, held in module.attributes.items()
    )


def batch_norm(machine: Machine, call: Invocation) -> None:
    """`nn.BatchNorm(use_running_average=False, axis_name="batch")` reduces over the axis, but for its first run."""
    if machine.facts.get(jax_facts.FIRST_RUN):
        return
    names = jax_axes.texts(call.get("axis_name"))
    run = jax_facts.device_mapping(machine) is not None or machine.facts.get("jax compiled")
    if names and call.get("use_running_average") == FALSE and run:
        jax_collectives.bound(machine, call, names)


def is_first_run(machine: Machine, call: Invocation) -> Value | None:
    """`self.is_initializing()`"""
    first = machine.facts.get(jax_facts.FIRST_RUN)
    return Const(first) if first is not None else None


def is_changed(machine: Machine, call: Invocation) -> Value | None:
    """`self.is_mutable_collection("params")`: everything is made in the first run; later `apply` says what changes."""
    return Const(True) if machine.facts.get(jax_facts.FIRST_RUN) else None


def is_made(machine: Machine, call: Invocation) -> Value | None:
    """`self.has_variable("batch_stats", "mean")`: asked before it is made, to tell the first run from the others."""
    return Const(False) if machine.facts.get(jax_facts.FIRST_RUN) else None


def streams(machine: Machine, call: Invocation) -> Value | None:
    """`nnx.Rngs(dropout=key)`, or of a seed: layers that drop units will draw from it, as they do in a training."""
    if jax_facts.device_mapping(machine) is None:
        return None
    dropped = call.row.extra["dropped"]
    given = next((value for name, value in call.keywords if name == dropped), None)
    if given is None:
        return None
    key = given if jax_facts.has(given, "key") else jax_keys.make_key(machine, replace(call, arguments=(given,)))
    jax_keys.always_alike(machine, call, key)
    return jax_keys.drawn(machine, key, (), f"handed over as `{dropped}`", call.mask)


def own_key(machine: Machine, call: Invocation) -> Value:
    """`self.make_rng("dropout")`: one more key of those that `apply` was given, which may be another on each device. In
    an evaluation nobody minds if it is not."""
    running = machine.facts.get(haiku.KEYS) or [None]
    given, name = running[-1], call.get("name")
    if isinstance(given, Object) and given.kind == "dict" and isinstance(name, Const):
        given = given.attributes.get(("key", name.value))
    if isinstance(given, Unknown) and jax_facts.has(given, "key") and not jax_keys.evaluated(machine):
        return haiku.one_more(machine, given)
    machine.oldest_write = 0  # see `one_more`
    return machine.fresh("key", None, frozenset({jax_facts.fact("key", 0), jax_facts.fact("may", "?")}))


def taken_apart(machine: Machine, call: Invocation) -> Value | None:
    """`form, weights = nnx.split(model)`; with filters there is a part of the state for each, and one for the rest."""
    model = call.get("node")
    if not isinstance(model, Object) or any(name == "*" for name, _ in call.keywords):
        return None
    form = machine.new(FORM, call.mask)
    form.facts[FORM] = model
    parts = range(max(1, len(call.arguments) - 1))
    state = (machine.unknown("state of a model", model.number, machine.symbols.fresh("turn"), part) for part in parts)
    return Tuple((form, *(jax_facts.with_facts(machine, one, [jax_facts.fact("array")]) for one in state)))


def put_together(machine: Machine, call: Invocation) -> Value | None:
    """`nnx.merge(form, weights)`: the model again, as far as it is a matter of what it computes."""
    form = call.get("graphdef")
    model: Value | None = form.facts.get(FORM) if isinstance(form, Object) else None
    return model


def parameter(machine: Machine, call: Invocation) -> Value | None:
    """`self.param("kernel", initializer, *arguments)` hands a key of its own to the initializer."""
    from dtlint.machine.functions import calls

    if len(call.arguments) > 1 and isinstance(call.arguments[1], FunctionRef | Bound) and len(machine.stack) <= DEEPEST:
        key = jax_keys.child(NONE, machine.symbols.fresh("key"))
        machine.facts.setdefault(jax_keys.BEGUN, set()).add((machine.frame.path, machine.current_at))
        calls.call_value(machine, call.arguments[1], (key, *call.arguments[2:]), call.keywords, call.mask)
        return machine.fresh("parameter of a module")
    return None


MODELS: dict[str, Any] = {
    "flax_batch_norm": batch_norm,
    "flax_first_run": is_first_run,
    "flax_is_changed": is_changed,
    "flax_is_made": is_made,
    "flax_make_rng": own_key,
    "flax_streams": streams,
    "flax_param": parameter,
    "flax_split": taken_apart,
    "flax_merge": put_together,
}
