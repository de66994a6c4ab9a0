"""What do `jax.numpy`, methods of arrays and train states make of what they are given?"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import donation as jax_donation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import grids as jax_grids
from dtlint.machine.library.jax import optax as jax_optax
from dtlint.machine.library.jax import shapes as jax_shapes
from dtlint.machine.library.jax import state_keys
from dtlint.machine.library.jax.copies import copied
from dtlint.machine.library.jax.facts import fact, has, is_fact, words
from dtlint.machine.library.jax.shapes import LAYOUT, leading, shaped
from dtlint.machine.library.whole_project import any_function
from dtlint.machine.values import NONE, ClassRef, Const, FunctionRef, Symbol, Tuple, Unknown, Value

REDUCERS = frozenset({"pmean", "psum", "psum_scatter", "all_gather"})
LIKE = frozenset({"zeros_like", "ones_like", "full_like", "empty_like"})
SCALARS = frozenset({"asarray", "array", "float32", "int32", "float16", "bfloat16", "uint32"})  # of a number
AS_ONE = frozenset({"asarray", "array", "stack"})  # make one array of a list
KEPT = frozenset(
    {"host tree", "replicated", "reduces", jax_optax.STEPS_BY, "device axis", "plain", "of host"}
)  # by a state of what it is given


def jnp_call(machine: Machine, call: Invocation) -> Value:
    """A function of jax.numpy or numpy: an array of the arguments' facts."""
    from dtlint.machine.library.python import builtins as python

    last = call.name.rpartition(".")[2]
    is_jax = call.name.startswith("jax.")
    same = jax_shapes.copied(machine, call)
    if same is not None:
        return copied(machine, same, call)
    if last in AS_ONE and call.arguments and has(call.arguments[0], "keys"):
        return call.arguments[0]  # a list of keys is a batch of them before, too
    if last == "reshape" and len(call.arguments) > 1 and isinstance(call.arguments[0], Unknown):
        return reshaped(machine, call, is_jax)
    made = jax_donation.made_again(machine, call, python.opaque(machine, call))
    if not isinstance(made, Unknown):
        return made
    first = call.arguments[0] if call.arguments else None
    if last == "expand_dims" and isinstance(first, Unknown) and call.arguments[1:] == (Const(0),):
        return jax_shapes.with_axis(first, made)
    if last in LIKE:
        made = Unknown(made.symbol, None, jax_facts.without(made.tags, jax_facts.INSIDE | {"global", "host draw"}))
    add = [fact("array")] if is_jax else []
    drop: frozenset[str] = frozenset() if is_jax else frozenset({"array"})
    if last in ("reshape", "broadcast_to", "tile"):
        shape = leading(machine, call.arguments[1] if len(call.arguments) > 1 else call.get("shape"))
        add += [shape] if shape else []
    else:
        add += (
            jax_shapes.described(machine, call)
            if last in jax_donation.MADE or jax_shapes.from_shape(call)
            else [shaped(machine, call)]
        )
    if last in SCALARS and isinstance(first, Const) and isinstance(first.value, int | float):
        add.append(fact("plain", (), jax_facts.place(machine)))
    add = [tag for tag in add if tag]
    layout = [tag for tag in add if tag[1] in LAYOUT]
    if layout:
        drop |= LAYOUT
    filled = last == "full" and not any(has(one, "array") for one in call.values[-1:])
    even = filled or last in ("broadcast_to", "ones", "zeros")
    if even and layout and layout[0][1:3] == ("device axis", "local"):
        add.append(fact("even"))
    return jax_facts.with_facts(machine, made, add, drop) if add or drop else made


def reshaped(machine: Machine, call: Invocation, is_jax: bool) -> Value:
    """`numpy.reshape(x, shape)` is `x.reshape(shape)`."""
    from dtlint.machine.library.feeding import data

    given = call.arguments[0]
    as_method = replace(call, receiver=given, arguments=call.arguments[1:])
    data.unknown_method(machine, given, "reshape", as_method)
    made = method(machine, given, "reshape", as_method)
    assert made is not None
    return jax_facts.with_facts(machine, made, [fact("array")]) if is_jax else made


def rearranged(machine: Machine, call: Invocation) -> Value | None:
    """`rearrange(x, "(d b) c -> d b c", d=devices)` is `x.reshape(devices, -1, …)`."""
    given, pattern = call.get("tensor"), call.get("pattern")
    written = pattern.value if isinstance(pattern, Const) else None
    found = FIRST_AXIS.fullmatch(written.strip()) if isinstance(written, str) else None
    if found is None or not isinstance(given, Unknown) or machine.flow is None:
        return None
    devices, rest = (call.get(found[name]) or Const(-1) for name in ("first", "second"))
    sizes = (devices, rest, *(machine.fresh("size") for _ in found["others"].split()))
    return reshaped(machine, replace(call, arguments=(given, *sizes), keywords=()), False)


FIRST_AXIS = re.compile(
    r"\((?P<first>\w+) (?P<second>\w+)\)(?P<others>( [\w.]+)*) *-> *(?P=first) (?P=second)(?P=others)"
)


def numpy_call(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    jax_facts.start_backend(machine, call.name)
    return jnp_call(machine, call)


def method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """A method of a value nobody knows."""
    if name == "reshape" and isinstance(receiver, Unknown) and call.arguments:
        asked = Tuple(call.arguments) if len(call.arguments) > 1 else call.arguments[0]
        jax_grids.check(machine, jax_grids.whose(receiver), asked, call.mask)
        shape = leading(machine, asked)
        if is_fact(shape, "device axis") and shape[2] == "local":
            jax_shapes.note_rows_of_one_device(machine, receiver)
        known = {fact("rows", *pair) for pair in jax_shapes.counted(machine, asked)} if shape else set()
        made = machine.unknown("reshaped", receiver.symbol, *(token(v) for v in call.arguments), cause=receiver.cause)
        kept = jax_facts.without(receiver.tags, LAYOUT | {"key"})
        sizes = call.arguments if len(call.arguments) > 1 else getattr(call.arguments[0], "items", ())
        if has(receiver, "keys") and len(sizes) > 2:
            in_rows(machine, made.symbol, sizes)
        return Unknown(made.symbol, made.cause, kept | ({shape, *known} if shape else frozenset()))
    if name == "repeat":
        same = jax_shapes.copied(machine, call)
        if same is not None:
            return copied(machine, same, call)
    if name in ("apply_gradients", "apply_gradient"):
        from dtlint.machine.library.python import thrown_away

        thrown_away.of_state(machine, call, name)
        return apply_gradients(machine, receiver, call, stores=name == "apply_gradients")
    if name == "init":
        return initialised(machine, call)
    if jax_shapes.from_shape(call):
        from dtlint.machine.library.python import builtins as python

        return python.opaque(machine, call)
    return None


def in_rows(machine: Machine, keys: Symbol, sizes: tuple[Value, ...]) -> None:
    """`keys.reshape(hosts, devices, -1)`: a row holds keys again; the last size is that of a key."""
    from dtlint.machine.library.jax import keys as jax_keys

    machine.facts.setdefault(jax_keys.INNER, {})[keys] = (sizes[1:-1], jax_facts.place(machine))


def with_shape(machine: Machine, call: Invocation, made: Unknown) -> Value:
    """An array of a shape that is known to begin with the number of devices."""
    if jax_shapes.from_shape(call):
        return jax_facts.with_facts(machine, made, jax_shapes.described(machine, call), LAYOUT)
    found = shaped(machine, call)
    return jax_facts.with_facts(machine, made, [found], LAYOUT) if found else made


def initialised(machine: Machine, call: Invocation) -> Value | None:
    """`model.init(key, …)`, `optimizer.init(params)`: a tree on the host."""
    found = jax_facts.deep(call.values)
    leaves = [leaf for value in call.values for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)]
    if leaves and not jax_facts.mappings(machine) and all(has(leaf, "replicated") for leaf in leaves):
        tags = (fact("array"), fact("replicated"), fact("device axis", "local", None))
        return machine.fresh(jax_facts.INITIALISED, None, frozenset(tags))  # moments are like what they are of
    if any(is_fact(tag, "replicated") or is_fact(tag, "replica") or is_fact(tag, "device axis") for tag in found):
        return None
    if words(found, "key") and not jax_facts.mappings(machine):
        tag = fact(
            "host tree", "straight from `init`, without a copy for each device", "init", jax_facts.place(machine)
        )
        return machine.fresh(jax_facts.INITIALISED, None, frozenset((fact("array"), tag, *of_this_host(machine, call))))
    if len(call.values) == 1 and not jax_facts.mappings(machine):
        symbols = tuple(leaf.symbol for leaf in jax_facts.leaves(call.values[0]) if isinstance(leaf, Unknown))
        text = "the state of parameters before they were copied to the devices"
        if symbols:
            plain = [tag for leaf in jax_facts.leaves(call.values[0]) for tag in words(leaf.tags, "plain")]
            known = frozenset((fact("array"), fact("state of", text, symbols), *plain))
            return machine.fresh(jax_facts.INITIALISED, None, known)
    return None


def of_this_host(machine: Machine, call: Invocation) -> list[jax_facts.Tag]:
    """Weights drawn from a key that is another one on every host. A mark, because what else a state holds (its step)
    is the same everywhere."""
    for value in call.values:
        for leaf in jax_facts.leaves(value, 2):
            if has(leaf, "key") and leaf.cause is not None:
                machine.objects += 1
                machine.facts.setdefault(jax_facts.HOST_WEIGHTS, {})[machine.objects] = leaf.cause
                return [fact("of host", machine.objects)]
    return []


def holds_reduction(machine: Machine, values: tuple[Value, ...]) -> bool:
    """A function of the project among these values that reduces over devices by itself."""
    for value in values:
        for leaf in jax_facts.leaves(value, 2):
            if isinstance(leaf, FunctionRef) and isinstance(leaf.node, ir.Function):
                machine.consult(leaf)
                if not leaf.node.tokens.isdisjoint(REDUCERS):
                    return True
    return False


# --- states ----------------------------------------------------------------------------------------------------


def train_state(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine.library.jax import flax_modules

    jax_flow.started(machine)
    flax_modules.held_by_state(machine, call)
    tags = {tag for tag in jax_facts.deep(call.values) if jax_facts.is_jax(tag) and tag[1] in KEPT}
    if isinstance(call.receiver, ClassRef):
        tags.add(jax_facts.of_class(machine, call.receiver))
    if steps_by := jax_optax.held_by_state(machine, call):
        tags = {tag for tag in tags if not is_fact(tag, "reduces")} | steps_by  # what reduces is run
    made = machine.fresh("train state", None, frozenset(tags | {fact("array")}))
    held = [leaf.symbol for value in call.values for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)]
    machine.facts.setdefault("jax holds", {})[made.symbol] = held
    weights = next((value for name, value in call.keywords if name == "params"), NONE)
    parts = [leaf.symbol for leaf in jax_facts.leaves(weights) if isinstance(leaf, Unknown)]
    machine.facts.setdefault(jax_facts.WEIGHTS, {})[made.symbol] = parts
    return made


def apply_gradients(machine: Machine, receiver: Value, call: Invocation, stores: bool = True) -> Value:
    """`state.apply_gradients(grads=…, batch_stats=…)`: everything it stores must be equal on all devices. The older
    `optimizer.apply_gradient(grads, learning_rate=…)` only uses the rest for this one step."""
    given = next((value for name, value in call.keywords if name in ("grads", "grad")), None)
    given = given or (call.arguments[0] if call.arguments else None)
    own = jax_facts.deep((receiver,))
    updates = jax_optax.of_state(machine, own, receiver, given, call.mask) if given is not None else None
    found = jax_facts.certain((updates or given,)) if given is not None else set()
    mapping = jax_facts.device_mapping(machine)
    drop = {"grad", "partly", "varies", "may"} if words(own, "reduces") else set()
    if mapping is not None and not words(own, "reduces"):
        replicas = {tag[2] for tag in words(own, "replica")}
        mapped = jax_facts.step_at(mapping.where, f"mapped over the devices by {mapping.kind}")
        for tag in words(found, "grad"):
            info = machine.facts["jax grads"][tag[2]]
            if info["certain"] and replicas & {one[2] for one in info["args"]}:
                mapping.noted.add(tag)
                text = "gradients of this device's part of the batch"
                jax_facts.note(
                    machine, "unreduced update", call.mask, None, (jax_facts.step_at(info["where"], text), mapped)
                )
        if words(found, "grad"):
            drop = {"grad", "varies", "may"} if any(tag in mapping.noted for tag in words(found, "grad")) else set()
        for name, value in call.keywords:
            if value is given or name is None or not replicas or not stores:
                continue
            other = jax_facts.deep((value,))
            axes = mapping.axes or ()
            if any(tag[2] in axes for tag in words(other, "varies")) and not normalises_together(machine):
                jax_facts.note(machine, "unreduced state", call.mask, None, (mapped,), name=name)
    tags = own | set(jax_facts.without(found, frozenset(drop | {"host tree", "key", "keys"})))
    made = machine.fresh("state", None, frozenset(tag for tag in tags if jax_facts.is_jax(tag)))
    state_keys.follows(machine, receiver, made, call)
    return made


def stepped(machine: Machine, call: Invocation) -> Value | None:
    """The state after `apply_gradients` is like the one before, and counts one step more."""
    state = call.receiver or call.get("self")
    if not isinstance(state, Unknown):
        return None
    made = Unknown(machine.symbols.fresh("state"), state.cause, state.tags, state.like)
    state_keys.follows(machine, state, made, call)
    return made


def changes_statistics(machine: Machine, call: Invocation) -> bool:
    """`model.apply(…, mutable=["batch_stats"])` of layers whose statistics are taken over the devices?"""
    given = next((value for name, value in call.keywords if name == "mutable"), None)
    if given is None or isinstance(given, Unknown) or (isinstance(given, Const) and not given.value):
        return False
    return normalises_together(machine)


REDUCTIONS = frozenset({"psum", "pmean"})
OVER_DEVICES = frozenset({"axis_name", "cross_replica_axis"})  # what flax and haiku call the axis of a layer


def normalises_together(machine: Machine) -> bool:
    """Does some layer of the project take its statistics over the devices: `BatchNorm(axis_name=…)`, or `pmean` in a
    method of its own?"""
    return any_function(machine, over_devices)


def over_devices(_: Machine, function: ir.Function, owner: ir.Class | None) -> bool:
    in_method = owner is not None and not REDUCTIONS.isdisjoint(function.tokens)
    return in_method or ("BatchNorm" in function.tokens and not OVER_DEVICES.isdisjoint(function.tokens))


MODELS: dict[str, Any] = {
    "einops_rearrange": rearranged,
    "jax_numpy": numpy_call,
    "flax_stepped": stepped,
    "flax_train_state": train_state,
}
