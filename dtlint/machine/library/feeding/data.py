"""The life of data: datasets, samplers, loaders, and what iterating over them gives each rank.

The pieces live in loaders, samplers, sharding, inside and seeds; here a call, an attribute or a loop finds its piece.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import deep_cause, opaque
from dtlint.machine.core import IN_WORKER, Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance, tensors
from dtlint.machine.library.drawing import draws, seeds, states
from dtlint.machine.library.feeding import (
    handing,
    inside,
    loader_options,
    loaders,
    sharding,
    streams,
    webdatasets,
    whole_batches,
)
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import files
from dtlint.machine.names import classes
from dtlint.machine.values import NAMING, NONE, Cause, Const, Object, SliceValue, Trail, Unknown, Value

LEAVES = frozenset(
    {"column_names", "features", "num_rows", "to_pandas", "to_dict", "save_to_disk", "num_shards", "n_shards"}
)


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    """Remember how a library object was made; rules and later calls ask for it."""
    thing.facts["call"] = call
    if thing.kind == loader_options.LOADER:
        loaders.constructed(machine, thing, call)
        return
    seeds.constructed(machine, thing, call)
    if not isinstance(thing.kind, str):
        return
    if thing.kind.rpartition(".")[2] in ("DistributedSampler", "StatefulDistributedSampler"):
        thing.facts["shards"] = True
    keep_parts(thing, thing.kind, call)
    for name in call.row.extra.get("keeps", ()):
        thing.attributes[name] = call.get(name) or NONE
    keep_told(machine, thing, call)
    mark_uneven(machine, thing, call)


def keep_told(machine: Machine, thing: Object, call: Invocation) -> None:
    """`extra.told`: what a sampler asks the process group for, unless it is given. All ranks together take as many
    samples as each of them does, times the ranks."""
    told = call.row.extra.get("told", ())
    for name in told:
        given = call.get(name)
        if given is not None and given != NONE:
            thing.attributes[name] = given
    if told:
        count = machine.symbols.of("samples of a rank", ("object", thing.number))
        ranks = thing.attributes.get("num_replicas", Const(machine.world.size, "world"))
        thing.attributes["num_samples"] = Unknown(count)
        thing.attributes["total_size"] = Unknown(machine.symbols.of("op *", count, token(ranks)))


def derived(machine: Machine, thing: Object, call: Invocation) -> None:
    """`class Part(Subset)` of the project asked its base to begin: it holds what a `Subset` would."""
    keep_told(machine, thing, call)
    if call.row.type in (*inside.WRAPPERS, "torch.utils.data.TensorDataset"):
        thing.facts["call"] = call
        keep_parts(thing, call.row.type, call)
        mark_uneven(machine, thing, call)


def keep_parts(thing: Object, kind: str, call: Invocation) -> None:
    last = kind.rpartition(".")[2]
    if kind.startswith(streams.CHAINS):
        for position, value in enumerate(call.values):
            thing.attributes[f"source {position}"] = value
    elif last in ("Subset", "ConcatDataset", "BatchSampler") or last.endswith("Sampler"):
        first = call.get("dataset") or call.get("data_source") or call.get("sampler")
        if first is not None:
            thing.attributes["sampler" if last == "BatchSampler" else "dataset"] = first
        for name in ("indices", "datasets", "weights"):
            held = call.get(name)
            if held is not None:
                thing.attributes[name] = held
    elif last == "TensorDataset":
        for position, value in enumerate(call.arguments):
            thing.attributes[f"tensor {position}"] = value


def mark_uneven(machine: Machine, thing: Object, call: Invocation) -> None:
    for value in call.values[:2]:
        uneven = containers.length_cause(machine, value)
        if uneven is not None:
            thing.facts["uneven"] = uneven


def number(machine: Machine, value: Object) -> Value:
    """One number of a range: it differs where the range begins or steps by rank. Where it only ends by rank, the
    ranks that are still turning count alike."""
    ends = [value.attributes.get(name) for name in ("start", "step")]
    cause = next((end.cause for end in ends if end is not None and end.cause is not None), None)
    tags = frozenset(tag for end in ends if end is not None for tag in end.tags)
    return machine.unknown("number", value.number, cause=cause, tags=tags)


def element(machine: Machine, value: Object, mask: int) -> Value | None:
    if loaders.is_loader(value):
        return loaders.element(machine, value)
    if isinstance(value.kind, str) and value.kind.startswith(streams.CHAINS):
        cause = sharding.is_part(value)
        tags = frozenset({("loader", value.number)})
        machine.facts.setdefault("loaders", {})[value.number] = value
        return machine.unknown("batch", value.number, machine.symbols.fresh("turn"), cause=cause, tags=tags)
    if value.kind == files.HANDLE:
        return files.line_of(machine, value)
    known = machine.knowledge.types.get(value.kind) if isinstance(value.kind, str) else None
    if known is not None and known.iterates == "text":
        made = value.facts.get("call")
        cause = deep_cause(machine, made.values) if isinstance(made, Invocation) else None
        return machine.unknown("text", value.number, machine.symbols.fresh("turn"), cause=cause)
    if known is not None and known.iterates in machine.knowledge.types:
        return machine.new(known.iterates, mask)
    return None


def length(machine: Machine, value: Object) -> Value | None:
    batches = loaders.inside_of(value)
    if loaders.is_loader(batches):
        return loaders.length(machine, batches)
    if value.kind == "torch.Tensor":
        known = value.facts.get("length")
        return known if isinstance(known, Value) else None
    own = webdatasets.own_end(machine, value)
    if own is not None:
        value.facts["shard"], value.facts["uneven"] = own
    uneven = value.facts.get("uneven")
    if isinstance(uneven, Cause):
        made = value.facts.get("call")
        given = made.values[:2] if isinstance(made, Invocation) else ()
        tags = frozenset(mark for one in given for mark in sharding.counted(one))
        return machine.unknown("length", value.number, cause=uneven, tags=tags)
    return None


def method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    if name == TOLD_EPOCH:
        return set_epoch(machine, receiver, call)
    if name in ("state_dict", "load_state_dict") and loaders.is_loader(receiver):
        receiver.facts["state kept"] = True
        return None
    drawn = draws.method(machine, receiver, name, call)
    if drawn is not None:
        return drawn
    if isinstance(receiver.kind, str) and receiver.kind.startswith(streams.CHAINS) and name not in LEAVES:
        return streams.step(machine, receiver, call)
    return None


TOLD_EPOCH = "set_epoch"


def set_epoch(machine: Machine, receiver: Value, call: Invocation) -> Value:
    extra = {"call": call, "fails": cannot_be_told(machine, receiver)}
    machine.emit_event("record", "set-epoch", call.name, call.mask, subject=receiver, extra=extra)
    return NONE


def cannot_be_told(machine: Machine, thing: Value) -> bool:
    """A loader of torch, whichever of several, has no `set_epoch` to hand on: its sampler has one."""
    several = (thing, *thing.instead) if isinstance(thing, Object) else (thing,)
    return all(loaders.is_loader(one) and classes.lacks(machine, one, TOLD_EPOCH) for one in several)


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> Value | None:
    if name == "set_epoch":
        return set_epoch(machine, receiver, call)
    parts = whole_batches.over_devices(machine, receiver, call) if name in ("reshape", "view") else None
    if parts is not None:
        extra = {"call": call, "parts": parts}
        machine.emit_event("record", "device-split", name, call.mask, subject=receiver, extra=extra)
        return None
    shapes = whole_batches.into_shape(receiver, call) if name == "reshape" else ()
    if shapes:
        machine.emit_event("record", "whole-shape", name, call.mask, subject=receiver, extra={"shapes": shapes})
        return None
    if name == "sample" and draws.of_frame(receiver, call):
        return draws.sample_of_frame(machine, receiver, call)
    if name == "drop":
        draws.rest_of_frame(machine, receiver, call)
    if name == "sort" and call.node is not None and isinstance(call.node.func, ir.Attr):
        from dtlint.machine.names.assignment import assign_target

        target = call.node.func.value
        if isinstance(target, ir.Name | ir.Attr) and isinstance(receiver, Unknown):
            assign_target(machine, target, provenance.without(receiver, "order"), call.mask)
            return NONE
    return None


def attribute(machine: Machine, thing: Object, name: str, mask: int) -> Value | None:
    if loaders.is_loader(thing):
        return loaders.attribute(machine, thing, name, mask)
    return None


def read_item(machine: Machine, base: Value, index: Value, mask: int) -> Value | None:
    if isinstance(base, Object) and isinstance(base.kind, str) and base.kind.startswith("datasets."):
        if isinstance(index, Const) and isinstance(index.value, str):
            return base  # a split of the data set
    if isinstance(base, Object) and isinstance(base.kind, str) and isinstance(index, SliceValue):
        row = machine.knowledge.method(base.kind, "__getitem__")
        if row is not None and row.extra.get("slices"):
            return streams.sliced(machine, base, index, mask)
    return None


# --- what rows ask for -----------------------------------------------------------------------------------------


def shard(machine: Machine, call: Invocation) -> Value | None:
    """`dataset.shard(n, index)`, `split_dataset_by_node(dataset, rank, world)`: a part for each rank."""
    dataset = call.receiver if call.receiver is not None else call.get("dataset")
    index = call.get("index") or call.get("rank")
    if index is None or index.cause is None or not isinstance(dataset, Object):
        return dataset
    sharding.note_share(machine, index, call.get("num_shards") or call.get("world_size"))
    made = streams.divided(machine, dataset, index.cause, call.mask)
    if call.row.extra.get("rest") and not streams.shards_alike(machine, dataset):
        step = sharding.shard_step(
            made.facts["shard"], "each rank takes its own part here, and the parts are not equally long"
        )
        made.facts["uneven"] = Cause("shard", Trail(step, index.cause.trail))
    return made


def part_chosen(machine: Machine, call: Invocation) -> Value | None:
    """`ShardOptions(index, count)`: which part a loader made elsewhere is to take."""
    index = call.get("index")
    if index is not None:
        sharding.note_share(machine, index, call.get("count"))
    return None


def self_sharded(machine: Machine, call: Invocation) -> Value | None:
    made = machine.new(call.row.type, call.mask)
    made.facts.update(api=call.name, call=call, shards=True)
    return made


def self_sharded_loader(machine: Machine, call: Invocation) -> Value | None:
    """A library makes a loader with a sampler that divides what it has looked up by a name."""
    made = machine.new(loader_options.LOADER, call.mask)
    made.facts.update(api=call.name, call=call)
    return loaders.prepared(machine, made, call.name, call.mask)


def worker_info(machine: Machine, call: Invocation) -> Value:
    """None where there are no workers; who runs as one has it. Elsewhere nobody can say."""
    tags = frozenset({provenance.WORKER})
    info = machine.unknown(inside.INFO, 0, tags=tags)
    machine.symbols.lasting.update(machine.symbols.of("attr", info.symbol, name) for name in inside.COUNTED)
    in_worker = machine.facts.get(IN_WORKER)
    if in_worker is None:
        return info
    if not in_worker:
        return NONE
    made = machine.new("<worker info>", call.mask)
    made.attributes.update({name: machine.unknown("attr", info.symbol, name, tags=tags) for name in inside.OF_WORKER})
    if inside.COPIED in machine.facts:
        made.attributes["dataset"] = machine.facts[inside.COPIED]
    return made


def listing(machine: Machine, call: Invocation) -> Value | None:
    """Names of files in the order this host's file system gives them."""

    receiver = (call.receiver,) if call.receiver is not None else ()
    found = opaque(machine, call.name, *receiver, *call.values)
    if found.cause is not None and found.cause.kind in NAMING:
        found = Unknown(found.symbol, None, found.tags, found.like)  # a place that nobody has been to: none finds any
    return provenance.marked(found, (*sharding.remember(machine, "order"), call.name))


def resized(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.jax import hosts as jax_hosts
    from dtlint.machine.library.python import builtins as python
    from dtlint.machine.library.training import stepping

    made = jax_hosts.unlisted(machine, call) or python.opaque(machine, call)
    made = row_for_row(machine, call, in_that_order(machine, call, made))
    if any(isinstance(tag, tuple) and tag[0] in stepping.ANSWERED for tag in made.tags):
        return made  # no batch, but what a model said of it
    return provenance.without(made, "loader")


def stacked(machine: Machine, call: Invocation) -> Value | None:
    """`numpy.stack(rows)`: a row for each."""
    from dtlint.machine.library.jax import hosts as jax_hosts
    from dtlint.machine.library.python import builtins as python

    made = jax_hosts.unlisted(machine, call) or python.opaque(machine, call)
    return row_for_row(machine, call, in_that_order(machine, call, made))


def in_that_order(machine: Machine, call: Invocation, made: Value) -> Value:
    """Pieces of an order, and arrays of lists, are in that order. Columns beside each other are in the one of the first
    of them: what is drawn for each row orders no rows."""
    given = call.arguments
    if given and call.get("axis") not in (None, Const(0)):
        given = (containers.items_of(machine, given[0]) or given)[:1]
    orders = (mark for one in given for mark in provenance.marks(one, "order", 2))
    return provenance.marked(made, *orders) if isinstance(made, Unknown) else made


def row_for_row(machine: Machine, call: Invocation, made: Value) -> Value:
    """An array made of a list is longer where the list is."""
    given = call.arguments[0] if call.arguments else None
    held = given.attributes.get("[]") if isinstance(given, Object) and given.kind == "list" else None
    longer = containers.length_cause if call.name.endswith(".stack") else containers.pieces_cause
    cause = longer(machine, given) if given is not None and held is not None else None
    along = call.get("axis")
    if held is None or cause is None or not isinstance(made, Unknown) or along not in (None, Const(0)):
        return made
    marks = frozenset(tag for tag in held.tags if isinstance(tag, tuple) and tag[0] in ("shard", "order"))
    symbol = machine.symbols.of(tensors.OWN_ROWS, made.symbol)
    return Unknown(symbol, cause, made.tags | marks | {containers.UNEVEN}, made.like)


MODELS: dict[str, Any] = {
    "split_by_rank": shard,
    "part_chosen": part_chosen,
    "dataset_shard": shard,
    "divided": sharding.divided,
    "taken_between": sharding.taken_between,
    "self_sharded_dataset": self_sharded,
    "self_sharded_loader": self_sharded_loader,
    "worker_info": worker_info,
    "listing": listing,
    "resized": resized,
    "stacked": stacked,
    **seeds.MODELS,
    **states.MODELS,
    **draws.MODELS,
    **handing.MODELS,
    **streams.MODELS,
}
