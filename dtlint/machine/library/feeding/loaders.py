"""The life of a loader: what it was made of, who took it over, and what its batches are for each rank."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.feeding import inside, parts_told, samplers, sharding, worker_starts
from dtlint.machine.library.feeding.lengths import length_of
from dtlint.machine.library.feeding.loader_lengths import measure, uneven_numbers, uneven_order
from dtlint.machine.library.feeding.loader_options import LOADER, Described, is_open, is_true, number_of, option
from dtlint.machine.library.feeding.loader_parts import decide
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import computed_alone
from dtlint.machine.values import (
    NONE,
    Cause,
    Const,
    Object,
    Symbol,
    Unknown,
    Value,
)

BATCHES = "batches"  # fact: torch's loader inside an instance of a project class that is derived from it


def derived(machine: Machine, thing: Object, call: Invocation) -> None:
    """An instance of the project's own class of loaders was made: torch's part of it is a loader like any other."""
    inner = machine.new(LOADER, call.mask)
    inner.facts["call"] = call
    constructed(machine, inner, call)
    inner.facts["at"] = (thing.path, thing.at or machine.current_at, machine.frame.scope)
    thing.facts[BATCHES] = inner
    for name, value in inner.attributes.items():
        machine.set(thing, name, value, call.mask)


def inside_of(thing: Object) -> Object:
    """torch's loader, where it is one of a project class."""
    found = thing.facts.get(BATCHES)
    return found if isinstance(found, Object) else thing


def is_loader(value: Value | None) -> bool:
    return isinstance(value, Object) and (value.kind == LOADER or bool(value.facts.get("loader")))


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    thing.attributes["dataset"] = call.get("dataset") or NONE
    sampler, batch_sampler = call.get("sampler"), call.get("batch_sampler")
    if isinstance(sampler, Object) and sampler.kind == samplers.OF_BATCHES:
        sampler, batch_sampler = NONE, sampler  # the data set is asked for whole batches
    thing.attributes["sampler"] = sampler or own_sampler(machine, call)
    if batch_sampler is not None and batch_sampler != NONE:
        thing.attributes["batch_sampler"] = batch_sampler
    thing.facts["at"] = (machine.frame.path, machine.current_at, machine.frame.scope)
    machine.facts.setdefault("loaders", {})[thing.number] = thing


def own_sampler(machine: Machine, call: Invocation) -> Value:
    """Some libraries' loaders make a sampler that divides the data when they are told so."""
    told = call.get(str(call.row.extra.get("samples_when")))
    if told is None or (isinstance(told, Const) and not told.value):
        return NONE
    made = machine.new(samplers.DISTRIBUTED, call.mask)
    made.facts.update({"shards": True, "call": call})
    made.attributes["dataset"] = call.get("dataset") or NONE
    return made


def stacked(machine: Machine, batch: Value) -> bool:
    """Is this a tensor that a loader gave by putting samples on each other, which all have one shape then? One with a
    `collate_fn` may fill them up to the longest of this rank's."""
    symbol = batch.symbol if isinstance(batch, Unknown) else None
    while symbol is not None and symbol.key[0] == "item" and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    if symbol is None or symbol.key[0] != "batch":
        return False
    made = [loader for number, loader in machine.facts.get("loaders", {}).items() if ("loader", number) in batch.tags]
    return bool(made) and all(option(one, "collate_fn") is None and not is_open(one) for one in made)


def prepared(machine: Machine, loader: Object, by: str, mask: int, owner: Value | None = None) -> Object:
    """The loader a framework gives back: it divides the data between the ranks."""
    made = machine.anew(loader, mask)
    made.facts.pop("described", None)
    made.facts["prepared"] = by
    made.facts["original"] = loader
    made.facts["whole batches"] = takes_whole_batches(owner)
    row = machine.knowledge.api(by)
    made.facts[HANDED_OUT] = hands_out(owner) if row is not None and row.extra.get("hands_out_streams") else NOTHING
    machine.facts.setdefault("loaders", {})[made.number] = made
    machine.emit_event("record", "prepare", by, mask, subject=loader, extra={"prepared": made, "owner": owner})
    return made


HANDED_OUT = "handed out"  # fact: what the first rank reads for all, and sends each its batches of
NOTHING, STREAMS, ALL_DATA = "nothing", "streams", "all data"


def hands_out(owner: Value | None) -> str:
    """Streams, unless it was told `dispatch_batches=False`, or something that nobody knows; whatever is read, where it
    was told `dispatch_batches=True`."""
    made = owner.facts.get("call") if isinstance(owner, Object) else None
    if not isinstance(made, Invocation) or "dataloader_config" not in made.row.params:
        return STREAMS
    options = made.get("dataloader_config")
    inner = options.facts.get("call") if isinstance(options, Object) else None
    if options is not None and not isinstance(inner, Invocation):
        return NOTHING
    given = made.get("dispatch_batches") or (inner.get("dispatch_batches") if isinstance(inner, Invocation) else None)
    if given is None or given == NONE:
        return STREAMS
    return ALL_DATA if is_true(given) else NOTHING


def takes_whole_batches(owner: Value | None) -> bool | None:
    """Does the framework cut each batch between the ranks (`split_batches=True`), or give each rank a whole one? None
    when nobody can say."""
    made = owner.facts.get("call") if isinstance(owner, Object) else None
    if not isinstance(made, Invocation) or "dataloader_config" not in made.row.params:
        return None
    given, options = made.get("split_batches"), made.get("dataloader_config")
    if given is None and options is not None:
        inner = options.facts.get("call") if isinstance(options, Object) else None
        if not isinstance(inner, Invocation):
            return None
        made, given = inner, inner.get("split_batches")
    if given is None:
        return None if any(name is None for name, _ in made.keywords) else False
    return given.value if isinstance(given, Const) and isinstance(given.value, bool) else None


def described(machine: Machine, loader: Object) -> Described:
    found = loader.facts.get("described")
    if not isinstance(found, Described):
        found = loader.facts["described"] = Described()
        describe(machine, loader, found)
    return found


def describe(machine: Machine, loader: Object, found: Described) -> None:
    dataset = loader.attributes.get("dataset", NONE)
    found.sampler = samplers.inner(machine, loader.attributes.get("batch_sampler")) or loader.attributes.get("sampler")
    if found.sampler == NONE:
        found.sampler = None
    found.ordering = samplers.walked(machine, found.sampler)
    workers = option(loader, "num_workers")
    found.workers = 0 if workers is None and not is_open(loader) else number_of(workers)
    found.shards = sharding.shards_of(dataset)
    given = option(loader, "generator")
    if isinstance(given, Object) and given.kind in seeds.GENERATORS:
        found.seeded = seeds.of_generator(machine, given)
    if not machine.facts.get("inside"):
        collate = option(loader, "collate_fn")
        entered = None
        if found.workers != 0:
            init = option(loader, "worker_init_fn")
            entered = init is not None and init != NONE
        starting = option(loader, "worker_init_fn")
        first = starting if entered and starting is not None and inside.of_project(starting) else None
        machine.facts[inside.COPIED] = dataset
        for part in inside.project_datasets(machine, dataset)[:4]:
            computed_alone.sampled(machine, part, machine.world.full)
            found.looks.append(inside.look(machine, part, machine.world.full, collate, entered, found.workers, first))
        if collate is not None and inside.of_project(collate) and (found.workers == 0 or not found.looks):
            sample = machine.unknown("sample", loader.number)
            batch = machine.new_list((sample,), machine.world.full)
            found.collating = inside.called(machine, collate, (batch,), machine.world.full)
        if starting is not None and inside.of_project(starting):
            begun = loader.facts["worker start"] = inside.start_worker(machine, starting, machine.world.full)
            found.apart = worker_starts.stays_away(machine, starting, begun)
    found.iterable = any(look.iterable for look in found.looks) or inside.is_iterable(machine, dataset)
    decide(machine, loader, dataset, found)
    if found.sampler is None and not loader.facts.get("prepared"):
        measure(machine, loader, dataset, found)
    elif found.ordering is not None and not loader.facts.get("prepared"):
        uneven_order(machine, found, found.ordering)
    elif found.sampler is not None and not loader.facts.get("prepared"):
        uneven_numbers(machine, found, found.sampler)
    if samplers.is_distributed(machine, found.sampler):
        size = option(loader, "batch_size")
        found.dealt = length_of(machine, dataset)
        if size is not None and size.cause is not None:
            found.uneven = size.cause  # as many samples on every rank, in more batches or in fewer


def element(machine: Machine, loader: Object) -> Value:
    """A batch: it differs where the loader divides the data."""
    from dtlint.machine.library.training.stepping import grad_is_off

    loader.facts.setdefault("walked", set()).add("evaluation" if grad_is_off(machine) else "training")
    known = described(machine, loader)
    if known.sampler is None and is_true(option(loader, "shuffle")):
        known.drawn = known.seeded or seeds.current(machine, "torch")
    cause = known.why
    if cause is not None:
        cause = Cause("data", cause.trail).then(machine.step("a batch of this rank's data"))
    tags = frozenset({("loader", loader.number)})
    batch = machine.unknown("batch", loader.number, machine.symbols.fresh("turn"), cause=cause, tags=tags)
    parts_told.note_truths(machine, loader, batch)
    return batch


def handed_batch(machine: Machine, name: str) -> Value:
    """What a framework's loop gives to a method: a batch of a loader that divides the data."""
    tags = frozenset({("loader", 0)})
    return machine.unknown(
        "batch", name, cause=machine.cause("data", f"`{name}` is a batch of this rank's data"), tags=tags
    )


def length(machine: Machine, loader: Object) -> Value | None:
    known = described(machine, loader)
    if known.uneven is not None:
        return machine.unknown("length", loader.number, cause=known.uneven)
    return machine.unknown("length", loader.number)


def attribute(machine: Machine, loader: Object, name: str, mask: int) -> Value | None:
    if name == "batch_sampler":
        made = machine.new(samplers.OF_BATCHES, mask)
        made.attributes["sampler"] = loader.attributes.get("sampler", NONE)
        if "call" in loader.facts and not loader.facts.get("prepared"):
            made.facts["call"] = loader.facts["call"]  # torch has made it, so it is what torch makes
        return made
    if name in ("batch_size", "num_workers", "drop_last", "generator"):
        return option(loader, name)
    return None


def own_sample(machine: Machine, value: Unknown) -> bool:
    """One of the samples that `collate_fn` has left as they are, or put together in a way of its own: as long as it is,
    or as the longest of this batch. What is stacked is equally long everywhere."""
    if value.cause is None or value.cause.kind != "data" or value.symbol.key[0] != "item" or len(value.symbol.key) != 2:
        return False
    known = machine.facts.get("loaders", {})
    made = [known[tag[1]] for tag in value.tags if type(tag) is tuple and tag[0] == "loader" and tag[1] in known]
    return bool(made) and all(option(one, "collate_fn") not in (None, NONE) for one in made)
