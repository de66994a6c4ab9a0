"""What starts the backend, who knows of several hosts, and what do names without a row of a pack mean to JAX?

This is also the door through which the rest of the machine reaches the JAX rooms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine import library
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import arrays as jax_arrays
from dtlint.machine.library.jax import checkpoints as jax_checkpoints
from dtlint.machine.library.jax import collectives as jax_collectives
from dtlint.machine.library.jax import control as jax_control
from dtlint.machine.library.jax import copies as jax_copies
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flax_modules, haiku, key_counts, optax, state_keys, trees
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import keys as jax_keys
from dtlint.machine.library.jax import mapping as jax_mapping
from dtlint.machine.library.jax import named_parts as jax_named_parts
from dtlint.machine.library.jax import shapes as jax_shapes
from dtlint.machine.library.jax.facts import fact, has
from dtlint.machine.library.meeting import group_start, identity
from dtlint.machine.library.python import replaced
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import NONE, ClassRef, Const, Object, SliceValue, Tuple, Unknown, Value

FEW = 16  # keys of a batch that are told apart


HOSTS = "jax hosts"  # fact of the run: it asks for the other hosts, if only how many there are
ONE_EACH = "jax own devices"  # fact of the run: processes are told which devices they have, perhaps one each
ALONE = {"rank": 0, "world_size": 1}  # for JAX in a process of another library's group, which it is not told of


def query(machine: Machine, call: Invocation) -> Value | None:
    """`jax.devices()`, `jax.process_index()`: the backend is up afterwards."""
    jax_facts.start_backend(machine, call.name)
    if call.row.value in ALONE:
        if HOSTS not in machine.facts and (started_elsewhere(machine) or in_notebook(machine)):
            return Const(ALONE[call.row.value])
        machine.facts[HOSTS] = True
        if call.row.value == "rank":
            machine.facts[jax_facts.TOLD_APART] = True
    if call.row.value == "local_devices" and call.node is not None:
        name = product_named(machine, call)
        if name:
            jax_facts.note(machine, "local in global", call.mask, name=name)
        counted_own = identity.ask(machine, call.row, call.name, None)
        if not machine.facts.get(ONE_EACH):
            machine.facts.setdefault(jax_facts.OWN_DEVICES, []).append(counted_own)
        return counted_own
    if call.row.value == "devices" and machine.frame is not None:
        counts = machine.facts.setdefault("jax all counted", {})
        counts[machine.frame.scope] = machine.step("the devices of all hosts are counted here")
        counted_all = identity.ask(machine, call.row, call.name, None)
        if not machine.facts.get(ONE_EACH):
            machine.facts.setdefault(jax_facts.ALL_DEVICES, []).append(counted_all)
        return counted_all
    counted = call.row.extra.get("counted")
    if counted and not call.values:
        jax_flow.started(machine)  # what is made of them is followed from here on
        return machine.unknown("devices", counted)
    return None


def started_elsewhere(machine: Machine) -> bool:
    """Has a library that knows nothing of JAX begun a group?"""
    return group_start.is_started(machine) and bool(machine.facts.get(group_start.NOT_BY_JAX))


def count_of(machine: Machine, value: Unknown) -> Value | None:
    """`len(jax.local_devices())`: the same number as `jax.local_device_count()`."""
    if value.symbol.key[0] != "devices":
        return None
    world = machine.world
    return Const(world.per_host, "local") if value.symbol.key[1] == "local" else Const(world.size, "world")


def product_named(machine: Machine, call: Invocation) -> str:
    """`global_batch = per_device * jax.local_device_count()`: the name, where its author says it is for all hosts; a
    function that returns the product has one, too."""
    words = call.row.extra.get("everywhere", ())
    node = machine.frame.node
    names: list[str] = []
    if not isinstance(node, ir.Function):
        return ""
    counts: list[str] = []  # names of this very count
    for statement in node.body:
        value = statement.value if isinstance(statement, ir.Assign | ir.Return) else None
        made = [str(one.id) for one in getattr(statement, "targets", ()) if isinstance(one, ir.Name)]
        if value is call.node:
            counts += made
        if not isinstance(value, ir.BinOp) or value.op != "*":
            continue
        sides = (value.left, value.right)
        if call.node in sides:
            names += made if isinstance(statement, ir.Assign) else [str(node.name)]
        elif any(isinstance(side, ir.Name) and side.id in counts for side in sides):
            names += [name for name in made if divides(node, name)]
    named = next((name for name in names if any(word in name.lower().split("_") for word in words)), "")
    return "" if named and feeds_a_loader(node, named) else named


def divides(function: ir.Function, name: str) -> bool:
    """`examples // name`, `rate * name / 256`: the steps of an epoch, or a rate. What is only cut into parts may well
    be this host's."""
    quotients = (one for one in every_node(function.body) if isinstance(one, ir.BinOp) and one.op in ("/", "//"))
    return any(isinstance(one, ir.Name) and one.id == name for found in quotients for one in every_node((found,)))


def feeds_a_loader(function: ir.Function, name: str) -> bool:
    """`DataLoader(rows, batch_size=name)`: what a loader of this host gives goes to the devices of this host, whatever
    its author calls it."""
    return any(
        key == "batch_size" and isinstance(value, ir.Name) and value.id == name
        for one in every_node(function.body)
        if isinstance(one, ir.Call)
        for key, value in one.keywords
    )


def in_notebook(machine: Machine) -> bool:
    """A notebook runs in one kernel: there are other hosts only if it joins them itself."""
    frame = machine.frame
    while frame.caller is not None:
        frame = frame.caller
    return str(frame.path).endswith(".ipynb")


def initialize(machine: Machine, call: Invocation) -> Value | None:
    machine.facts[HOSTS] = machine.facts[jax_facts.TOLD_APART] = True
    machine.facts["jax"] = True
    machine.facts[ONE_EACH] = call.get("local_device_ids") not in (None, NONE)
    if machine.loading:
        machine.notes.setdefault("jax initialised", set()).add(machine.frame.path)
        return None
    steps = []
    before = loaded(machine)
    for path, (where, name) in sorted(machine.notes.get("jax starts", {}).items()):
        if path in before and path != machine.frame.path:
            steps.append(jax_facts.step_at(where, f"`{name}` starts the backend when this module is imported"))
    jax_facts.note(machine, "initialize", call.mask, None, tuple(steps[:2]), imported=bool(steps))
    return None


def started(machine: Machine, call: Invocation) -> Value | None:
    """`backends_are_initialized()`: surely where this run has used a device before."""
    return Const(True) if machine.facts.get("jax start count") else None


def loaded(machine: Machine) -> set[str]:
    """The files that have been imported by now: by this one, and by those of the functions that have led here. A module
    that still runs has come as far as its call."""
    lines: dict[str, int | None] = {}
    frame: Frame | None = machine.frame
    at: tuple[int, ...] | None = machine.current_at
    while frame is not None:
        if frame.function is None and at is not None:
            lines[frame.path] = at[0]
        lines.setdefault(frame.path, None)
        at, frame = frame.called_at, frame.caller
    return {one for path, line in lines.items() for one in imported_by(machine, path, line)}


def imported_by(machine: Machine, path: str, line: int | None = None) -> frozenset[str]:
    """The files that importing this one runs, up to a line of it if one is given."""
    known = machine.notes.setdefault("jax imports", {})
    if (path, line) in known:
        found: frozenset[str] = known[path, line]
        machine.project.looked.update(found, (path,))
        return found
    done: set[str] = set()
    todo = [path]
    while todo and len(done) < 400:
        one = todo.pop()
        if one in done:
            continue
        done.add(one)
        module = machine.project.module(one)
        for statement in module.body if module is not None else ():
            if one == path and line is not None and (getattr(statement, "at", None) or (0,))[0] > line:
                break
            for dotted, level in imports(statement):
                resolved = machine.project.resolve(one, dotted, level)
                target = machine.project.find_module(resolved) if resolved else None
                if target is not None:
                    todo.append(target)
    found = known[path, line] = frozenset(done - {path})
    machine.project.looked.update(done)
    return found


def imports(statement: ir.Stmt) -> list[tuple[str, int]]:
    if isinstance(statement, ir.Import):
        return [(dotted, 0) for dotted, _ in statement.names]
    if isinstance(statement, ir.ImportFrom):
        base = statement.module or ""
        return [(base, statement.level)] + [
            (f"{base}.{name}" if base else name, statement.level) for name, _ in statement.names
        ]
    return []


# --- doors -----------------------------------------------------------------------------------------------------


def unlisted(machine: Machine, call: Invocation) -> Value | None:
    """A library function without a row."""
    first = call.name.partition(".")[0]
    if first == "jax" and call.name.startswith("jax.numpy."):
        if machine.flow is None:
            jax_flow.started(machine)
        jax_facts.start_backend(machine, call.name)
        return jax_arrays.jnp_call(machine, call)
    if machine.flow is None:
        if first != "optax":
            return None
        jax_flow.started(machine)
    last = call.name.rpartition(".")[2]
    flax_modules.initialised(machine, call)
    if first == "numpy":
        if call.name in jax_copies.PULLS:
            jax_copies.pulled(machine, call.values, call.name, call.mask)
        return jax_arrays.jnp_call(machine, call)
    if call.name in jax_copies.PULLS:
        jax_copies.pulled(machine, call.values, call.name, call.mask)
        return None
    if call.receiver is not None and last in ("apply_gradients", "init"):
        found = jax_arrays.method(machine, call.receiver, last, call)
        if found is not None:
            return found
    found = by_keyword(machine, call)
    if found is not None:
        return found
    if first == "optax" and jax_arrays.holds_reduction(machine, call.values):
        from dtlint.machine.library.python import builtins as python

        return jax_facts.with_facts(machine, python.opaque(machine, call), [fact("reduces")])
    return None


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    """A method of something nobody knows."""
    if machine.flow is None:
        return None
    if isinstance(receiver, ClassRef):
        for base in classes.external_bases(machine, receiver):
            row = machine.knowledge.method(base, name)
            if row is not None:
                kind = receiver if row.does == "make" else None  # `State.create(…)` makes one of the project's class
                return library.calling.perform(machine, row, kind, call.arguments, call.keywords, call.mask, call.node)
    found = jax_arrays.method(machine, receiver, name, call)
    if found is not None:
        return found
    if name in replaced.METHODS:  # the copy holds the key, and nothing is drawn from it
        from dtlint.machine.library.python import builtins as python

        made = jax_copies.put_in(machine, receiver, python.opaque(machine, call), call)
        state_keys.follows(machine, receiver, made, call)
        return made
    return by_keyword(machine, call)


def by_keyword(machine: Machine, call: Invocation) -> Value | None:
    """What the keywords of a call tell about its result: the key that it draws from, the collections it changes."""
    from dtlint.machine.library.python import builtins as python

    spread = flax_modules.applied(machine, call)
    found = jax_keys.carried_by_keyword(machine, call) if call.keywords else None
    if spread:
        found = jax_facts.with_facts(machine, found or python.opaque(machine, call), spread)
    if not jax_arrays.changes_statistics(machine, call):
        return found
    found = found or python.opaque(machine, call)
    own = frozenset({"varies", "may", "draw", "mean"})
    return Tuple((found, jax_facts.with_facts(machine, found, (), own)))


def some_keys(machine: Machine, base: Value, index: SliceValue) -> Value | None:
    """`keys[start:stop]` of a batch of keys."""
    known = machine.flow is not None and isinstance(base, Unknown) and has(base, "keys")
    return read_item(machine, base, index) if known and index.step == NONE else None


def read_item(machine: Machine, base: Value, index: Value) -> Value | None:
    if machine.flow is None or not isinstance(base, Unknown):
        return None
    if jax_shapes.adds_axis(index):
        made = machine.unknown("item", base.symbol, token(index), cause=base.cause, tags=base.tags)
        return jax_shapes.with_axis(base, made)
    if has(base, "keys"):
        if jax_shapes.keeps_first(index):
            cause = base.cause or key_counts.bounds_cause(index)
            if key_counts.is_cut(index):
                return key_counts.cut(machine, base, index, cause)
            return machine.unknown("column", base.symbol, token(index), cause=cause, tags=base.tags)
        return jax_keys.one_of(machine, base, index)
    first = index.items[0] if isinstance(index, Tuple) and index.items else index  # `x[0, ...]`
    if isinstance(first, Const) and first.value == 0 and has(base, "replicated"):
        return jax_copies.taken_off(machine, base)
    if isinstance(first, Const) and isinstance(first.value, int) and has(base, "device axis"):
        # `x[jax.process_index()]`: what is left has other axes
        made = machine.unknown("item", base.symbol, token(index), cause=base.cause, tags=base.tags)
        return jax_facts.with_facts(machine, made, (), frozenset({"device axis"}))
    return None


def unpacked(machine: Machine, value: Value, index: int) -> Value | None:
    """`params, ema = state.averages`: what is taken apart is a tree, and its parts have the axis of devices."""
    if machine.flow is None or not isinstance(value, Unknown) or has(value, "keys") or not has(value, "replicated"):
        return None
    return machine.unknown("part", value.symbol, index, cause=value.cause, tags=value.tags)


def element(machine: Machine, value: Value) -> Value | None:
    """One turn's item of a batch of keys."""
    if machine.flow is not None and isinstance(value, Unknown) and has(value, "keys"):
        return jax_keys.one_of(machine, value, None)
    return None


def elements(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """All keys of a batch whose number is written down."""
    if machine.flow is not None and isinstance(value, Unknown):
        for tag in jax_facts.words(value.tags, "keys"):
            if tag[3] == "" and isinstance(tag[4], int) and tag[4] <= FEW:
                return tuple(jax_keys.one_of(machine, value, Const(index)) or value for index in range(tag[4]))
    return None


def called(machine: Machine, thing: Object, call: Invocation) -> Value | None:
    if "transform" in thing.facts:
        return jax_mapping.call_transformed(machine, thing, call)
    if machine.flow is None or not call.keywords:
        return None
    return jax_keys.carried_by_keyword(machine, replace(call, name=str(thing.kind)))


def circumstances(machine: Machine, arguments: tuple[Value, ...], keywords: Any) -> Any:
    """The mapped functions around a call, the key that Haiku hands out parts of, and the facts of the arguments."""
    inside: tuple[object, ...] = tuple(id(mapping) for mapping in jax_facts.mappings(machine))
    inside += tuple(token(key) for key in machine.facts.get(haiku.KEYS, ()) if key is not None)
    given = (*arguments, *(value for _, value in keywords))
    compiled = (machine.facts.get("jax compiled", 0) > 0, machine.facts.get(jax_facts.WHOLE, False))
    inside += (machine.facts.get(jax_facts.FIRST_RUN),)
    return (inside, compiled, tuple(frozenset(jax_facts.deep((one,))) for one in given))


with_shape = jax_arrays.with_shape
MODELS: dict[str, Any] = {
    **jax_mapping.MODELS,
    **jax_collectives.MODELS,
    **jax_control.MODELS,
    **jax_arrays.MODELS,
    **jax_copies.MODELS,
    **jax_checkpoints.MODELS,
    **jax_named_parts.MODELS,
    **jax_keys.MODELS,
    **haiku.MODELS,
    **flax_modules.MODELS,
    **optax.MODELS,
    **trees.MODELS,
    "jax_devices": query,
    "jax_local_devices": query,
    "jax_backend_query": query,
    "jax_distributed_initialize": initialize,
    "jax_backend_started": started,
}
