"""The life of a loader: what it was made of, who took it over, and what its batches are for each rank."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import Any

from dtlint.findings import Step
from dtlint.machine.contents import containers
from dtlint.machine.control.agreeing import RECEIVED
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing import draws, seeds
from dtlint.machine.library.feeding import inside, parts_told, samplers, sharding, webdatasets, worker_starts
from dtlint.machine.library.feeding.lengths import even_loop, is_divided, is_slice, length_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.generators import UNRUN
from dtlint.machine.values import (
    BY_PROCESS,
    BY_SHARE,
    NONE,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Symbol,
    Trail,
    Tuple,
    Unknown,
    Value,
)

LOADER = "torch.utils.data.DataLoader"
RESOLVED = ("list", "dict", "set")


@dataclass(slots=True)
class Described:
    """What is known of a loader's data. `gives`: same, differs or unknown over the ranks."""

    gives: str = "unknown"
    why: Cause | None = None
    whole: bool = False  # they differ in what is drawn for a sample, or found on a disk; nobody has a part of its own
    shards: list[tuple[Any, ...]] = field(default_factory=list)  # where the data set was cut by rank
    sampler: Value | None = None
    looks: list[inside.Inside] = field(default_factory=list)
    ordering: inside.Inside | None = None  # a walk through a sampler of the project
    drawn: seeds.State | None = None  # how the generator stood from which the order was drawn, where it is drawn
    seeded: seeds.State | None = None  # the generator it was given, from which its workers get their seeds
    collating: inside.Inside | None = None  # what the project makes a batch of, where no look has run that
    apart: bool = False  # what its workers do first leaves alone what the data set keeps
    iterable: bool = False
    workers: int | None = None  # None: not known
    uneven: Cause | None = None
    counts: tuple[int, ...] | None = None  # samples of each lane, where they are known
    total: Value | None = None


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


def is_loader(machine: Machine, value: Value | None) -> bool:
    return isinstance(value, Object) and (value.kind == LOADER or bool(value.facts.get("loader")))


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    thing.attributes["dataset"] = call.get("dataset") or NONE
    thing.attributes["sampler"] = call.get("sampler") or own_sampler(machine, call)
    batch_sampler = call.get("batch_sampler")
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


def option(loader: Object, name: str) -> Value | None:
    call = loader.facts.get("call")
    return call.get(name) if isinstance(call, Invocation) else None


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


def is_open(loader: Object) -> bool:
    """Some options came as `**options` nobody knows."""
    call = loader.facts.get("call")
    return (
        not isinstance(call, Invocation)
        or samplers.spread(call)
        or any(isinstance(held, Object) and held.kind == "<spread>" for held in call.arguments)
    )


def is_true(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value is True


def number_of(value: Value | None) -> int | None:
    return value.value if isinstance(value, Const) and type(value.value) is int else None


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
    size = option(loader, "batch_size")
    if size is not None and size.cause is not None and samplers.is_distributed(machine, found.sampler):
        found.uneven = size.cause  # as many samples on every rank, in more batches or in fewer


DIVIDES = BY_SHARE | BY_PROCESS | {"data"}  # causes of a difference by which each rank has a part of its own


def decide(machine: Machine, loader: Object, dataset: Value, found: Described) -> None:
    """Do all ranks get the same samples?"""
    if loader.facts.get("prepared"):
        found.gives = "differs"
        found.why = born(
            machine, loader, f"`{loader.facts['prepared'].rpartition('.')[2]}` divides the data between the ranks"
        )
        return
    alike = samplers.takes_alike(found.sampler)
    if samplers.is_distributed(machine, found.sampler) and not alike:
        assert isinstance(found.sampler, Object)
        found.gives = "differs"
        found.why = born(machine, found.sampler, "each rank gets its own part of the data")
        return
    cause = dataset_cause(machine, dataset, found)
    if cause is not None and cause.kind == "files":
        cause = None  # what is read where it has been kept, and computed where not, is the same
    asked: tuple[str, ...] = ("generator", "worker_init_fn", "collate_fn")
    plain = found.sampler is None or alike or samplers.is_plain(machine, found.sampler)
    if not plain and cause is None and samplers.fills_alike(machine, found.sampler, found.ordering):
        plain = True  # what it merely holds does not count, but what cuts its batches does
        around = option(loader, "batch_sampler")
        asked = asked if around is found.sampler else (*asked, "batch_sampler")
    else:
        asked = (*asked, "batch_sampler")
        cause = cause or sharding.is_part(found.sampler or NONE)
    for name in asked:
        found_here = sharding.is_part(option(loader, name) or NONE)
        cause = cause or (cutting(found_here) if name == "collate_fn" else found_here)
    if cause is None and isinstance(dataset, Object) and dataset.facts.get("shards"):
        cause = born(machine, dataset, "finds its rank itself")
    split = next((one for one in (inside.splits_by_rank(look) for look in found.looks) if one), None)
    if cause is None and split:
        cause = None if isinstance(split, bool) else split.cause
        cause = cause or born(machine, loader, "the data set asks for its rank")
    if cause is not None:
        found.gives = "differs"
        found.why = Cause("data", cause.trail)
        found.whole = cause.kind not in DIVIDES
        return
    if is_open(loader) or any(look.cut for look in found.looks):
        return
    if not plain:
        return
    if any(map(is_handed_out, provenance.parts(dataset))):
        return
    if any(webdatasets.divides_itself(machine.knowledge, one) for look in found.looks for one in look.values):
        return
    if understood(machine, loader, dataset, found) and not samplers.draws_its_own(machine, found.sampler):
        found.gives = "same"


def is_handed_out(value: Value) -> bool:
    """Did one rank send it to each, as the part that it should have?"""
    return isinstance(value, Unknown) and any(one.key[:1] == (RECEIVED,) for one in provenance.symbols_in(value.symbol))


def dataset_cause(machine: Machine, dataset: Value, found: Described) -> Cause | None:
    """Why the samples differ. What a project's data set gives was looked at; what it merely holds does not count."""
    if not found.looks or any(look.cut or not look.known for look in found.looks):
        return cutting(sharding.is_part(dataset) or cause_of_making(dataset))
    if isinstance(dataset, Object) and not isinstance(dataset.kind, ClassRef):
        held = [value for name, value in dataset.attributes.items() if name not in ("dataset", "datasets")]
        cause = next((one for value in held if (one := cutting(sharding.is_part(value))) is not None), None)
        if cause is not None:
            return cause
    for look in found.looks:
        for value in look.held:
            cause = cutting(sharding.is_part(value))
            if cause is not None and not (cause.kind == "random" and (by_index(value) or seeds_workers(found))):
                return cause  # what chance does to a sample that the index names divides nothing
        cause = next((one.cause for one in inside.rank_decisions(look)), None)
        if cause is not None:
            return cause
    length = length_of(machine, dataset)
    return length.cause if length is not None else None


def cutting(cause: Cause | None) -> Cause | None:
    """Why data may be another part on each rank. The time is for the name of a run, which the options may hold that a
    data set keeps: nobody cuts by it."""
    return cause if cause is None or cause.kind != "clock" else None


def seeds_workers(found: Described) -> bool:
    """Do the workers draw by seeds that they get from a generator which the loader was given?"""
    return found.seeded is not None and found.workers != 0


def cause_of_making(dataset: Value) -> Cause | None:
    """Of a library that nobody described: it gives what it was made of, whatever it is."""
    made = dataset.facts.get("call") if isinstance(dataset, Object) else None
    if not isinstance(made, Invocation) or made.row.name:
        return None
    return next((cause for cause in map(sharding.is_part, made.values) if cause is not None), None)


def born(machine: Machine, thing: Object, text: str) -> Cause:
    return Cause("data", Trail(Step(thing.path, (thing.at or (1,))[0], text)))


def understood(machine: Machine, loader: Object, dataset: Value, found: Described) -> bool:
    """Is enough known of the data set to say that nothing in it asks for the rank?"""
    if has_draws(found.looks):
        return False  # made up as it goes: the seeds decide
    samples = [value for look in found.looks for value in look.held]
    if any(knows_rank(machine, value) for value in (dataset, *samples)):
        return False
    if any(UNRUN in value.tags for value in samples):
        return False
    if isinstance(dataset, Object):
        if made_up(dataset):
            return False
        if isinstance(dataset.kind, ClassRef):
            if any(asks_a_stranger(dataset, look) for look in found.looks):
                return False
            return bool(found.looks) and all(look.known and not foreign_stream(machine, look) for look in found.looks)
        if dataset.kind in RESOLVED:
            return True
        if dataset.facts.get("loader") or dataset.kind == LOADER:
            return False
        ancestors = machine.knowledge.ancestors(dataset.kind)
        if dataset.kind.startswith("datasets."):
            return not handed_in(dataset)
        if "torch.utils.data.Dataset" in ancestors and "torch.utils.data.IterableDataset" not in ancestors:
            inner = dataset.attributes.get("dataset")
            return inner is None or understood(machine, loader, inner, found)
        if "torch.utils.data.IterableDataset" in ancestors:
            return False
        return is_indexed(machine, loader, found)  # a data set of a library nobody described
    if isinstance(dataset, Unknown):
        return is_indexed(machine, loader, found) and not of_a_stranger(machine, dataset.symbol)
    return False


OF_CALLERS = ("parameter", "missing", "keyword", "name")


def handed_in(dataset: Object) -> bool:
    """`Dataset.from_dict(rows)` of rows that a caller hands over: they may be what this rank alone has."""
    made = dataset.facts.get("call")
    return (
        isinstance(made, Invocation)
        and bool(made.row.extra.get("of_values"))
        and any(provenance.mentions(value, lambda one: one.key[0] in OF_CALLERS, 3) for value in made.values)
    )


def made_up(dataset: Object) -> bool:
    """`TensorDataset(torch.randn(n, width))` without a seed: each rank has rows that no other has."""
    held = [
        one for value in dataset.attributes.values() for one in (value.items if isinstance(value, Tuple) else (value,))
    ]
    return any(isinstance(one, Object) and one.facts.get(draws.OWN_NUMBERS) for one in held)


def is_indexed(machine: Machine, loader: Object, found: Described) -> bool:
    """torch refuses to shuffle a stream, and to walk over it in the order of a sampler."""
    return samplers.is_plain(machine, found.sampler) or is_true(option(loader, "shuffle"))


def knows_rank(machine: Machine, value: Value) -> bool:
    """Does it come from something unknown that was told who this rank is: `db.execute(query, (rank,)).fetchall()`?"""
    told: set[Symbol] = machine.facts.get("told", set())
    return bool(told) and provenance.mentions(value, lambda symbol: symbol in told, 3)


def has_draws(looks: list[inside.Inside]) -> bool:
    """Samples that are drawn, by each rank for itself, and do not depend on the index."""
    for look in looks:
        if not all(map(inside.drawn_alike, look.events("draw"))) and not any(
            by_index(value) or provenance.mentions(value, lambda symbol: symbol.key[0] == "deep", 3)
            for value in look.values
        ):
            return True
    return False


def by_index(value: Value) -> bool:
    """Does a sample depend on the index it was asked for?"""
    return provenance.has_mark(value, "index", 3) or provenance.mentions(value, lambda one: one.key[0] == "index", 3)


def foreign_stream(machine: Machine, look: inside.Inside) -> bool:
    """Does it hand on what a library gives that nobody described? Such a stream may be shuffled without a seed, in each
    process for itself."""
    walked = [made_by(one.symbol) for one in inside.loops(look) if isinstance(one, Unknown)] if look.iterable else []
    return any(
        "." in maker and machine.knowledge.api(maker) is None and maker.partition(".")[0] not in sys.stdlib_module_names
        for maker in walked
    )


def asks_a_stranger(dataset: Object, look: inside.Inside) -> bool:
    """`return self.games.sample()`, and nothing is walked over: what each sample is, only whoever is asked knows."""
    if not look.iterable or any(inside.loops(look)):
        return False
    asked = {held.symbol for held in dataset.attributes.values() if isinstance(held, Unknown)}
    samples = (value.symbol.key for value in look.values if isinstance(value, Unknown))
    return any(
        key[0] == "call" and getattr(key[1], "key", ("",))[0] == "attr" and key[1].key[1] in asked for key in samples
    )


def of_a_stranger(machine: Machine, symbol: Symbol) -> bool:
    """Did somebody make it of whom nobody knows what he does: a caller, or a library that nobody described?"""
    maker = made_by(symbol)
    return maker in OF_CALLERS or ("." in maker and not machine.knowledge.describes(maker))


def made_by(symbol: Symbol) -> str:
    """What was called first on the way to this: `open_all(path).rows[0]`"""
    while symbol.key[0] in ("call", "attr") and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return str(symbol.key[0])


# --- how many batches ------------------------------------------------------------------------------------------


def measure(machine: Machine, loader: Object, dataset: Value, found: Described) -> None:
    """Do the ranks make the same number of turns?"""
    if found.iterable:
        uneven_stream(machine, loader, found)
        return
    length = length_of(machine, dataset)
    if length is None:
        return
    found.total = length
    found.shards = found.shards or sharding.parts_counted(length)
    counts = sharding.numbers(length)
    batch = number_of(option(loader, "batch_size")) if option(loader, "batch_size") is not None else 1
    if counts is not None:
        found.counts = counts
        if batch is None:
            batch = 1
        whole = {count // batch for count in counts}
        started = {math.ceil(count / batch) for count in counts}
        dropped = is_true(option(loader, "drop_last"))
        if len(whole if dropped else started) > 1:
            kind = "last batch" if len(whole) == 1 else "shard" if found.shards else "length"
            found.uneven = Cause(kind, length.cause.trail if length.cause is not None else None)
        return
    if isinstance(length, Row | Unknown) and length.cause is not None and not is_divided(machine, length):
        counted = "files" if length.cause.kind == "files" else "length"  # which all find alike, as a rule
        kind = "shard" if found.shards and is_slice(dataset) else counted
        found.uneven = Cause(kind, length.cause.trail)


def uneven_order(machine: Machine, found: Described, order: inside.Inside) -> None:
    """What a sampler of the program gives on each rank: `order[rank::world]` of an order that was not cut to fit."""
    if order.cut or inside.is_endless(order) or inside.stops_by_count(order):
        return
    if samplers.asserts_its_number(machine, found.sampler):
        return
    for walked in (*order.values, *inside.loops(order)):
        cause = containers.length_cause(machine, walked)
        marks = sharding.shards_of(walked) or sharding.shards_of(found.sampler or NONE)  # numbers of what it holds
        if cause is not None and cause.kind == "shard" and marks:
            found.shards = marks
            found.uneven = cause
            return


def uneven_numbers(machine: Machine, found: Described, sampler: Value) -> None:
    """`SubsetRandomSampler(numbers)`, or the numbers themselves: as many turns as there are of them on each rank."""
    call = sampler.facts.get("call") if isinstance(sampler, Object) else None
    numbers = call.get("indices") if isinstance(call, Invocation) else sampler
    cause = containers.length_cause(machine, numbers) if numbers is not None else None
    marks = sharding.shards_of(numbers or NONE)
    if cause is not None and cause.kind == "shard" and marks:
        found.shards = marks
        found.uneven = cause


def uneven_stream(machine: Machine, loader: Object, found: Described) -> None:
    """Samples skipped by rank: the rest is not equally long, unless the whole is a multiple."""
    own = webdatasets.own_end(machine, loader)
    if own is not None:
        found.shards.append(own[0])
        found.uneven = own[1]
        return
    for look in found.looks:
        if not look.iterable or inside.is_endless(look) or inside.stops_by_count(look):
            continue
        for skipping in inside.rank_decisions(look):
            if skipping.kind != "branch" or even_loop(machine, look):
                continue
            mark = ("shard", skipping.path, skipping.at, skipping.function)
            found.shards.append(mark)
            trail = skipping.cause.trail if skipping.cause is not None else None
            step = Step(
                skipping.path, skipping.at[0], "each rank skips what others take, and the rest is not equally long"
            )
            found.uneven = Cause("shard", Trail(step, trail))
            machine.facts.setdefault("shard sites", []).append(mark)
            return
        for walked in inside.loops(look):
            cause = containers.length_cause(machine, walked)
            marks = sharding.shards_of(walked)
            if cause is not None and cause.kind == "shard" and marks:
                found.shards.extend(mark for mark in marks if mark not in found.shards)
                found.uneven = cause
                return


# --- reading ---------------------------------------------------------------------------------------------------


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
        made = machine.new("torch.utils.data.BatchSampler", mask)
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
