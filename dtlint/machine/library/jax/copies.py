"""Where do arrays lie: copies for each device, parts of one array over all hosts, meshes?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.feeding import whole_batches
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import fitting as jax_fitting
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import grids as jax_grids
from dtlint.machine.library.jax import launch as jax_launch
from dtlint.machine.library.jax import named_parts as jax_named_parts
from dtlint.machine.library.jax import outputs as jax_outputs
from dtlint.machine.library.jax import shapes as jax_shapes
from dtlint.machine.library.jax.checkpoints import GIVEN_BACK
from dtlint.machine.library.jax.facts import fact, has, words
from dtlint.machine.library.jax.shapes import LAYOUT
from dtlint.machine.values import Const, Object, Tuple, Unknown, Value

ONE_HOST = "mesh of one host"
COPIES = "copies"  # symbol of what was replicated, and when


def replicated(machine: Machine, value: Value) -> Value:
    where = jax_facts.places(machine)
    machine.facts["jax replicated"] = True

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown):
            return one if not isinstance(one, Const) else machine.fresh("copies", None, frozenset({fact("replicated")}))
        machine.facts.setdefault(jax_facts.COPIED, set()).add(one.symbol)
        if has(one, "key"):
            from dtlint.machine.library.jax import keys as jax_keys

            root = jax_keys.root_of(one)
            machine.facts.setdefault("jax copied", {})[root] = where
            tags = jax_facts.without(one.tags, frozenset({"key"}))
            tags |= {fact("keys", root, "local", None, None), fact("replicated"), fact("array")}
            return Unknown(machine.symbols.of(COPIES, one.symbol), one.cause, tags)
        made = jax_facts.with_facts(
            machine,
            one,
            [fact("replicated"), fact("array"), fact("device axis", "local", None)],
            LAYOUT | {"host tree"},
        )
        assert isinstance(made, Unknown)
        return Unknown(machine.symbols.of(COPIES, one.symbol, machine.symbols.fresh("time")), made.cause, made.tags)

    return jax_facts.mapped_tree(machine, value, leaf)


def copied_whole(machine: Machine, trees: tuple[Value, ...], rows: tuple[Unknown, ...]) -> None:
    """Where any leaf of a tree is copied to the devices, the tree is."""
    copied = machine.facts.get(jax_facts.COPIED, ())
    for tree, row in zip(trees, rows, strict=True) if copied else ():
        if row.symbol in copied:
            copied.update(leaf.symbol for leaf in jax_facts.leaves(tree) if isinstance(leaf, Unknown))


def made_once_more(machine: Machine, value: Value) -> Value:
    """A function that replicates, called again for the same tree, makes other copies."""

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown) or one.symbol.key[0] != COPIES or len(one.symbol.key) != 3:
            return one
        symbol = machine.symbols.of(COPIES, one.symbol.key[1], machine.symbols.fresh("time"))
        return Unknown(symbol, one.cause, one.tags, one.like)

    return jax_facts.mapped_tree(machine, value, leaf)


def copied(machine: Machine, value: Value, call: Invocation) -> Value:
    """Copies that the program makes by hand."""
    if not jax_facts.mappings(machine):
        machine.emit_event("record", "replicate", call.name, call.mask, subject=value)
    made, axis = replicated(machine, value), jax_shapes.copies(machine, call)
    return jax_facts.with_facts(machine, made, [axis], LAYOUT) if axis and axis[2] == "world" else made


def replicate(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    tree = call.arguments[0] if call.arguments else None
    if tree is None:
        return None
    given_to_all(machine, call)
    leaves = [leaf for leaf in jax_facts.leaves(tree) if isinstance(leaf, Unknown)]
    if leaves and all(has(leaf, "replicated") for leaf in leaves):
        jax_facts.note(machine, "replicated twice", call.mask)
    folders = [tag[2] for leaf in leaves for tag in words(leaf.tags, GIVEN_BACK)]
    if folders and len(folders) == len(leaves):
        jax_facts.note(machine, "replicated where nothing is saved", call.mask, folder=folders[0])
    return replicated(machine, tree)


def unreplicate(machine: Machine, call: Invocation) -> Value | None:
    tree = call.arguments[0] if call.arguments else None
    if tree is None:
        return None
    jax_flow.used(machine, (tree,), machine.facts.get(jax_facts.DONATED, {}))
    leaves = [leaf for leaf in jax_facts.leaves(tree) if isinstance(leaf, Unknown)]
    before = [one for leaf in leaves for one in words(leaf.tags, "host tree") if one[3:4] == (TAKEN_OFF,)]
    if before and all(of_one_device(leaf) for leaf in leaves) and not jax_facts.mappings(machine):
        jax_facts.note(machine, AGAIN, machine.frame.mask, None, (jax_facts.step_at(before[0][4], "taken out here"),))
    return taken_off(machine, tree)


AGAIN = "unreplicated twice"  # note: the first row of every array is taken
TAKEN_OFF = "unreplicated"  # how a tree came to lie on the host


def of_one_device(leaf: Unknown) -> bool:
    """Has it been taken out of what all devices have, on whatever way one comes here?"""
    taken = any(one[3:4] == (TAKEN_OFF,) for one in words(leaf.tags, "host tree"))
    return taken and not any(has(leaf, what) for what in OF_DEVICES)


APPLIED = "copies applied"  # note: all copies at once are the weights of a model


def applied(machine: Machine, weights: Value | None, mask: int) -> None:
    """`model.apply(state.params, x)` where no device runs it for itself: each array has an axis too many."""
    if weights is not None and not jax_facts.mappings(machine):
        leaves = jax_facts.leaves(weights)
        if any(has(leaf, "replicated") and has(leaf, "device axis") for leaf in leaves):
            jax_facts.note(machine, APPLIED, mask)


PUT_IN = "put in"  # fact of a state with copies for the devices: something in it has none
OF_DEVICES = ("replicated", "output", "over copies")  # what has, or should have, a copy for each device


def taken_off(machine: Machine, tree: Value) -> Value:
    text = "the copy of one device, taken out of what all devices have"
    alone = fact("host tree", text, TAKEN_OFF, jax_facts.place(machine))

    def leaf(one: Value, outermost: bool = True) -> Value:
        add = [alone] if any(has(one, what) for what in OF_DEVICES) else []
        made = jax_facts.with_facts(machine, one, add, LAYOUT | {"output"})
        if isinstance(made, Unknown):
            like = made.like
            if like is not None and outermost:  # one of several states: what it holds is taken off as well
                held = jax_facts.copied_tree(machine, like, lambda part: leaf(part, False))
                like = held if isinstance(held, Object) else None
            return Unknown(machine.symbols.of("first", made.symbol), made.cause, made.tags, like)
        return made

    return jax_facts.copied_tree(machine, tree, leaf)


def put_in(machine: Machine, state: Value, made: Value, call: Invocation) -> Value:
    """`state.replace(params=restored)`: what has no copy for each device, in a state of which the rest has one."""
    if not has(state, "replicated"):
        return made
    for _, value in call.keywords:
        for leaf in jax_facts.leaves(value):
            if not any(has(leaf, what) for what in ("replicated", "device axis", "output")):
                for _, _, text, *rest in (*words(leaf.tags, "host tree"), *words(leaf.tags, "stored")):
                    tag = fact(PUT_IN, text, rest[0] if len(rest) > 1 else "stored", jax_facts.place(machine))
                    return jax_facts.with_facts(machine, made, [tag], frozenset({"host tree", "stored"}))
    given = [(name, leaf) for name, value in call.keywords for leaf in jax_facts.leaves(value)]
    if not all(name is not None and (has(leaf, "replicated") or has(leaf, "keys")) for name, leaf in given):
        return made
    own = [fact(jax_facts.OWN_FIELD, name) for name, leaf in given if not has(leaf, "replicated")]
    return jax_facts.with_facts(machine, made, [*own, fact("replicated")])


def given_to_all(machine: Machine, call: Invocation) -> None:
    """`device_put_sharded(parts, jax.devices())`: the devices of other hosts are out of this one's reach."""
    devices = call.get("devices")
    if isinstance(devices, Unknown) and devices.symbol.key == ("devices", "world"):
        counted = machine.facts.get("jax all counted", {}).get(machine.frame.scope)
        jax_facts.note(machine, "world devices", call.mask, None, (counted,) if counted is not None else ())


def cut(machine: Machine, call: Invocation) -> Value | None:
    """`shard(batch)`: the rows are divided between the devices of this host."""
    for leaf in jax_facts.leaves(call.arguments[0]) if call.arguments else ():
        if isinstance(leaf, Unknown):
            jax_shapes.note_rows_of_one_device(machine, leaf)
    return shard(machine, call)


def shard(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    given_to_all(machine, call)
    return sharded(machine, call.arguments[0]) if call.arguments else None


def sharded(machine: Machine, tree: Value) -> Value:
    tag = fact("device axis", "local", jax_facts.place(machine))

    def leaf(one: Value) -> Value:
        if isinstance(one, Unknown):
            changed = jax_facts.with_facts(machine, one, [tag], LAYOUT)
            assert isinstance(changed, Unknown)
            return Unknown(machine.symbols.of("sharded", one.symbol), changed.cause, changed.tags)
        return one

    return jax_facts.mapped_tree(machine, tree, leaf)


def spread(machine: Machine, call: Invocation) -> Value | None:
    """What a library maps over this host's devices as it is."""
    here = jax_facts.step_at(jax_facts.place(machine), "mapped over this host's devices here")
    for value in call.arguments:
        jax_fitting.check_counts(machine, call, value, True, here)
    return shard(machine, call)


def global_array(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    axes = jax_outputs.sharded_over(call.get("sharding") or call.get("pspecs"))
    part = call.get("local_data") or call.get("local_inputs")
    if part is not None:
        put_together(machine, call)
    if part is not None and axes:
        machine.emit_event("record", "host-part", call.name, call.mask, subject=part)
        jax_flow.host_parts(machine, part)
    split_over_mesh(machine, call, call.get("sharding") or call.get("pspecs"), part)
    tags = {fact("array")} | ({fact("global", tuple(axes))} if axes else set())
    return machine.fresh(jax_launch.PUT_TOGETHER, None, frozenset(tags))


def put_together(machine: Machine, call: Invocation) -> None:
    """Parts of all hosts make one array, unless the mesh has the devices of one host only."""
    sharding = call.get("sharding")
    grid = sharding.attributes.get("mesh") if isinstance(sharding, Object) else call.get("global_mesh")
    if isinstance(grid, Object) and grid.at is not None and jax_axes.of_this_host(grid):
        here = machine.step(f"`{call.name.rpartition('.')[2]}` puts together parts of all hosts")
        jax_facts.note(machine, ONE_HOST, call.mask, (grid.path, grid.at, machine.frame.scope), (here,))


def device_put(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    value = call.get("x")
    if value is None:
        return None
    axes = jax_outputs.sharded_over(call.get("device"))
    if axes == () and not machine.facts.get("jax compiled"):
        machine.emit_event("record", "replicate", call.name, call.mask, subject=value)
    split_over_mesh(machine, call, call.get("device"), value)
    add = [fact("array"), *([fact("global", tuple(axes))] if axes else [])]
    # spread over the mesh it is one array of all hosts: what they drew alike for it is drawn once
    drop = frozenset({"global", "host draw"}) if axes is not None else frozenset()
    return jax_facts.mapped_tree(machine, value, lambda leaf: jax_facts.with_facts(machine, leaf, add, drop))


def split_over_mesh(machine: Machine, call: Invocation, sharding: Value | None, value: Value | None) -> None:
    """A batch, just as it came, whose rows are divided between devices."""
    if jax_outputs.splits_rows(sharding) and whole_batches.unpadded(value):
        machine.emit_event("record", "mesh-split", call.name, call.mask, subject=value)


def device_get(machine: Machine, call: Invocation) -> Value | None:
    value = call.get("x")
    if value is None:
        return None
    pulled(machine, (value,), "jax.device_get", call.mask)

    def leaf(one: Value) -> Value:
        if isinstance(one, Unknown):
            made = jax_facts.without(one.tags, frozenset({"array", "global"}))
            return Unknown(machine.symbols.of("on host", one.symbol), one.cause, made, one.like)
        return one

    donated = machine.facts.get(jax_facts.DONATED)
    if donated:
        jax_flow.used(machine, (value,), donated)
    return jax_facts.copied_tree(machine, value, leaf)


PULLS = frozenset({"numpy.asarray", "numpy.array", "builtins.float", "builtins.int", "numpy.save"})


def pulled(machine: Machine, values: tuple[Value, ...], what: str, mask: int) -> None:
    """The whole of an array is asked for, which lies on other hosts' devices too; a `try` knows that it may fail."""
    if machine.facts.get("jax hosts") and not machine.trying and not machine.facts.get("jax compiled"):
        if words(jax_facts.deep(values), "global"):
            jax_facts.note(machine, "not addressable", mask, what=what)


def process_allgather(machine: Machine, call: Invocation) -> Value | None:
    tiled = call.get("tiled")
    given = call.get("in_tree")
    if given is not None and (tiled is None or (isinstance(tiled, Const) and not tiled.value)):
        spread = words(jax_facts.deep((given,)), "global") and machine.facts.get("jax hosts")
        if spread or known_spread(machine, given):
            jax_flow.started(machine)
            jax_facts.note(machine, "not tiled", call.mask)
    return None


def known_spread(machine: Machine, given: Value) -> bool:
    """Below `if not x.is_fully_addressable:` other hosts hold a part of it."""
    if not isinstance(given, Unknown):
        return False
    return machine.assumes(machine.symbols.of("attr", given.symbol, "is_fully_addressable"), False)


def mesh(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    made = machine.new("jax.sharding.Mesh", call.mask)
    names = jax_axes.texts(call.get("axis_names"))
    jax_grids.made_of_devices(machine, call)
    made.facts.update(call=call, api=call.name)
    if names:
        made.facts["axis names"] = names
        made.attributes["axis_names"] = Tuple(tuple(map(Const, names)))
    jax_named_parts.mesh_made(machine, made)
    return made


def grid(machine: Machine, call: Invocation) -> None:
    jax_flow.started(machine)
    jax_grids.made_of_devices(machine, call)


def constraint(machine: Machine, call: Invocation) -> Value | None:
    """The array again, laid out like this; a bare PartitionSpec means the mesh of the `with` around it."""
    value, spec = call.get("x"), call.get("shardings")
    if spec is not None:
        jax_axes.against_mesh(machine, machine.facts.get("jax mesh"), spec, call.mask)
    axes = jax_outputs.sharded_over(spec)
    if value is None or axes is None:
        return None
    add = [fact("global", tuple(axes))] if axes else []
    return jax_facts.mapped_tree(
        machine, value, lambda leaf: jax_facts.with_facts(machine, leaf, add, frozenset({"global"}))
    )


def named_sharding(machine: Machine, call: Invocation) -> Value:
    made = machine.new("jax.sharding.NamedSharding", call.mask)
    made.facts.update(call=call, api=call.name)
    grid, spec = call.get("mesh"), call.get("spec")
    if grid is not None and spec is not None:
        made.attributes["mesh"], made.attributes["spec"] = grid, spec
        jax_axes.against_mesh(machine, grid, spec, call.mask)
    return made


def partition(machine: Machine, call: Invocation) -> Value | None:
    """Two trees of the same form, each with the leaves that the other lacks: none of them is copied."""
    tree = call.get("pytree")
    return Tuple((tree, tree)) if tree is not None else None


MODELS: dict[str, Any] = {
    "jax_partition": partition,
    "jax_replicate": replicate,
    "jax_unreplicate": unreplicate,
    "jax_shard": cut,
    "jax_spread": spread,
    "jax_device_put_sharded": shard,
    "jax_global_array": global_array,
    "jax_device_put": device_put,
    "jax_device_get": device_get,
    "jax_process_allgather": process_allgather,
    "jax_grid": grid,
    "jax_mesh": mesh,
    "jax_make_mesh": mesh,
    "jax_named_sharding": named_sharding,
    "jax_constraint": constraint,
}
