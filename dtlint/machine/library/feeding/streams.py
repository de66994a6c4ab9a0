"""What do the steps of a data set's chain do to who sees which sample?

`load_dataset(…).filter(…).skip(…)`, `dataset.interleave(…)`: a step that was told the rank divides the data, whatever
it is called. Data sets that are put together from others give what those give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dtlint.findings import Step
from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing import draws
from dtlint.machine.library.feeding import inside, lengths, sharding, totals
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import (
    BY_SHARE,
    FALSE,
    NONE,
    TRUE,
    Bound,
    Cause,
    Const,
    FunctionRef,
    Object,
    SliceValue,
    Trail,
    Value,
)

CHAINS = ("datasets.", "tensorflow.data.", "webdataset.", "streaming.", "grain.")
MOST = 4  # arguments a function of a step is called with


BEGUN = "begun"  # fact: where the first of a chain of data sets was made


def begun(machine: Machine, made: Object) -> None:
    if isinstance(made.kind, str) and made.kind.startswith(CHAINS):
        made.facts[BEGUN] = (made.path, made.at or machine.current_at, machine.frame.scope)


def step(machine: Machine, receiver: Object, call: Invocation) -> Object:
    """`dataset.select(range(rank, total, world))`, `.filter(lambda row, i: i % world == rank, with_indices=True)`"""
    if call.values:
        receiver.facts.setdefault("stages", []).extend(call.values)
    for value in told(call):
        if isinstance(value, Bound | FunctionRef):
            cause = asks_rank(machine, value, call.mask)
        else:
            cause = provenance.cause_of(value, BY_SHARE)
        if cause is not None:
            return divided(machine, receiver, cause, call.mask)
    return receiver


def told(call: Invocation) -> Iterator[Value]:
    """What may tell a step which rank it works for: where a row names it, not what is shown beside a bar."""
    names = call.row.extra.get("told_by")
    yield from call.values if names is None else (value for name in names if (value := call.get(name)) is not None)


def step_of_row(machine: Machine, call: Invocation) -> Value | None:
    if not isinstance(call.receiver, Object):
        return call.receiver
    made = step(machine, call.receiver, call)
    if made is call.receiver and call.row.extra.get("told_by"):
        made = machine.anew(made, call.mask)  # what it was made of stays what it is, and is told its epochs for itself
        made.path, made.at = call.receiver.path, call.receiver.at
    taken = call.get(str(call.row.extra.get("exactly", "")))
    if "uneven" in made.facts and isinstance(taken, Object) and deep_cause(machine, (taken,)) is None:
        made = machine.anew(made, call.mask)  # those rows and no others: equally many everywhere
        del made.facts["uneven"]
    if taken is not None and made is not call.receiver and not shards_alike(machine, call.receiver):
        uneven_part(machine, made, taken)
    if call.row.extra.get("may_fill"):
        made.facts[BATCHED] = None
        made.facts[ENDLESS] = repeats(call) or made.facts.get(ENDLESS, False)
    return made


def uneven_part(machine: Machine, made: Object, rows: Value) -> None:
    """`dataset.select(range(first, last))`: ranks that choose other numbers of rows have so many."""
    count = lengths.items_count(machine, rows)
    cause = count.cause if count is not None else None
    if count is None or cause is None or cause.kind not in BY_SHARE or lengths.is_divided(machine, count):
        return
    step = sharding.shard_step(made.facts["shard"], "each rank takes its own part here, and they are not equally long")
    made.facts["uneven"] = Cause("shard", Trail(step, cause.trail))


CUT = "cut into batches"  # the call that cuts a stream into batches
CUT_BY = "cut by"  # the step of a loader that puts batches together
BATCHED = "batched"  # the call that cuts a stream into batches of which the last may be smaller
ENDLESS = "endless"  # it may be: somebody repeats it


def repeats(call: Invocation) -> bool:
    """`repeat()`, or as often as nobody knows; `repeat(3)` ends."""
    times = call.arguments[0] if call.arguments else call.get("count")
    ends = isinstance(times, Const) and isinstance(times.value, int) and times.value > 0
    return bool(call.row.extra.get("endless")) and not ends


def batched(machine: Machine, call: Invocation) -> Value | None:
    """`dataset.batch(n)`, `dataset.iter(n)`, whose last batch holds what is left."""
    made = call.receiver
    if isinstance(made, Object):
        drops = call.get("drop_remainder") or call.get("drop_last_batch")
        leaves = drops is None or (isinstance(drops, Const) and not drops.value)
        whole = not leaves or made.facts.get(ENDLESS)
        made.facts[CUT] = call
        made.facts[BATCHED] = None if whole else (call, sharding.remember(machine, "batch"))
    return made


def loader_of_grain(machine: Machine, call: Invocation) -> Value:
    """`DataLoader(operations=[Batch(n)])`, `load(source, batch_size=n)`: what is left makes a batch at the end, where
    there is an end."""
    made = library.calling.make(machine, call)
    operations = containers.items_of(machine, call.get("operations") or NONE) or ()
    held = [one for one in operations if isinstance(one, Object) and isinstance(one.facts.get("call"), Invocation)]
    step = next((one for one in held if one.facts["call"].row.extra.get("batches")), None)
    batch = step.facts["call"] if step is not None else call if call.get("batch_size") not in (None, NONE) else None
    sampler = call.get("sampler")
    sampled = sampler.facts.get("call") if isinstance(sampler, Object) else call
    ends = isinstance(sampled, Invocation) and sampled.get("num_epochs") not in (None, NONE)
    if isinstance(made, Object) and batch is not None:
        made.facts[CUT_BY] = batch
    if isinstance(made, Object) and batch is not None and ends and batch.get("drop_remainder") in (None, FALSE):
        place = (step.path, step.at, machine.frame.scope) if step is not None and step.at else None
        made.facts[BATCHED] = (batch, sharding.remember(machine, "batch", place))
    return made


def listed(machine: Machine, call: Invocation) -> Value | None:
    """`Dataset.list_files(pattern)`: in another order in every process, unless it is told a seed or not to shuffle."""
    from dtlint.machine.library.drawing import seeds

    made = machine.new(call.row.type, call.mask)
    made.facts.update(api=call.name, call=call)
    begun(machine, made)
    state = seeds.current(machine, "numpy")  # whoever seeds anything seeds TensorFlow too
    given = call.get("seed")
    if given in (None, NONE) and call.get("shuffle") in (None, NONE, TRUE) and state.verdict == "unseeded":
        mark = draws.order_mark(machine, call, state)
        made.attributes["order"] = provenance.marked(machine.unknown("order", made.number), mark)
    return made


def divided(machine: Machine, dataset: Object, cause: Cause, mask: int) -> Object:
    made = machine.anew(dataset, mask)
    mark = sharding.remember(machine, "shard")
    made.facts["shard"] = mark
    made.facts["ordered"] = provenance.marks(dataset, "order")
    made.facts["sharded by"] = Cause(
        "data", Trail(Step(mark[1], mark[2][0], "each rank takes its own part here"), cause.trail)
    )
    return made


def sliced(machine: Machine, dataset: Object, index: SliceValue, mask: int) -> Object:
    """`dataset[host::hosts]` is a data set again."""
    cause = provenance.cause_of(index, BY_SHARE)
    return divided(machine, dataset, cause, mask) if cause is not None else dataset


def shards_alike(machine: Machine, dataset: Object) -> bool:
    """Was it cut to a multiple of the ranks before, `rows.select(range(len(rows) // world * world))`? How many a stream
    has, nobody knows."""
    made = dataset.facts.get("call")
    if not isinstance(made, Invocation) or made.get("streaming") not in (None, FALSE):
        return True
    counts = [totals.total_of(machine, value) for value in dataset.facts.get("stages", ())]
    return any(count == totals.EVEN or (isinstance(count, int) and count % machine.world.size == 0) for count in counts)


def asks_rank(machine: Machine, value: Bound | FunctionRef, mask: int) -> Cause | None:
    """Does what this function of the project answers depend on the rank? What its object holds besides does not
    count."""
    function = value.function if isinstance(value, Bound) else value
    if not isinstance(function, FunctionRef):
        return None
    params = [one for one in function.node.params if one.kind in ("positional", "normal") and one.default is None]
    count = len(params) - (isinstance(value, Bound) and value.receiver is not None)
    if not 0 <= count <= MOST:
        return None
    rows = tuple(machine.unknown("row of a data set", machine.symbols.fresh("row")) for _ in range(count))
    found = inside.called(machine, value, rows, mask)
    return next((cause for one in found.values if (cause := provenance.cause_of(one, BY_SHARE))), None)


def joined(machine: Machine, call: Invocation) -> Value | None:
    """`interleave_datasets([…])`, `concatenate_datasets([…])`, `Dataset.zip(…)`"""
    given = call.get("datasets")
    items = (containers.items_of(machine, given) or (containers.element(machine, given),)) if given is not None else ()
    several = [*items, *(value for value in (call.receiver, call.get("dataset")) if value is not None)]
    first = several[0] if several else None
    if not isinstance(first, Object) or not all(in_chain(one) for one in several):
        return None
    made = machine.new(first.kind, call.mask)
    made.facts.update(first.facts)
    made.attributes.update({f"source {position}": one for position, one in enumerate(several)})
    return made


def in_chain(value: Value) -> bool:
    return isinstance(value, Object) and isinstance(value.kind, str) and value.kind.startswith(CHAINS)


def cardinality(machine: Machine, call: Invocation) -> Value | None:
    """`stream.cardinality()`: as many as `len(stream)`, whatever each rank has in it."""
    from dtlint.machine.library.python import iteration

    return iteration.length(machine, replace(call, arguments=(call.receiver,))) if call.receiver is not None else None


MODELS: dict[str, Any] = {
    "cardinality": cardinality,
    "dataset_step": step_of_row,
    "dataset_batch": batched,
    "joined_datasets": joined,
    "listed_files": listed,
    "grain_loader": loader_of_grain,
}
