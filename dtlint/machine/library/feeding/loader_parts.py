"""Do all ranks get the same samples from a loader?"""

from __future__ import annotations

import sys

from dtlint.findings import Step
from dtlint.machine.control.agreeing import RECEIVED
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing import draws
from dtlint.machine.library.feeding import inside, samplers, sharding, webdatasets
from dtlint.machine.library.feeding.lengths import length_of
from dtlint.machine.library.feeding.loader_options import LOADER, RESOLVED, Described, is_open, is_true, option
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.generators import UNRUN
from dtlint.machine.values import (
    BY_PROCESS,
    BY_SHARE,
    NONE,
    Cause,
    ClassRef,
    Object,
    Symbol,
    Trail,
    Tuple,
    Unknown,
    Value,
)

DIVIDES = BY_SHARE | BY_PROCESS | {"data"}  # causes of a difference by which each rank has a part of its own


def decide(machine: Machine, loader: Object, dataset: Value, found: Described) -> None:
    """Do all ranks get the same samples?"""
    if loader.facts.get("prepared"):
        found.gives = "differs"
        found.why = born(loader, f"`{loader.facts['prepared'].rpartition('.')[2]}` divides the data between the ranks")
        return
    alike = samplers.takes_alike(found.sampler)
    if samplers.is_distributed(machine, found.sampler) and not alike:
        assert isinstance(found.sampler, Object)
        found.gives = "differs"
        found.why = born(found.sampler, "each rank gets its own part of the data")
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
        cause = born(dataset, "finds its rank itself")
    split = next((one for one in (inside.splits_by_rank(look) for look in found.looks) if one), None)
    if cause is None and split:
        cause = None if isinstance(split, bool) else split.cause
        cause = cause or born(loader, "the data set asks for its rank")
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


def born(thing: Object, text: str) -> Cause:
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
