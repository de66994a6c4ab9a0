"""What is divided twice, or by workers and not by ranks? (DT210, DT205)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import inside, sharding, webdatasets
from dtlint.machine.library.feeding.loader_options import LOADER, Described, number_of, option
from dtlint.machine.logs import Decision, Event, Site
from dtlint.machine.names import classes
from dtlint.machine.run import Run
from dtlint.machine.values import ClassRef, Const, External, FunctionRef, Object, Symbol, Unknown, Value
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.samples.data import Steps, kept, whole_world
from dtlint.timeline.samples.noise import chosen_outside
from dtlint.timeline.steps.training import place_of, spoken_training, step_at, survey


def divided_twice(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    seen = survey(run)
    for event, _ in seen.of("sampler"):
        call = event.extra["call"]
        dataset, replicas = call.get("dataset"), call.get("num_replicas")
        if dataset is None or not (replicas is None or (isinstance(replicas, Const) and replicas.scale == "world")):
            continue
        for mark in cut_by_rank(dataset)[:1]:
            place = (event.path, event.at, event.function)
            yield (
                place,
                kept(step_at(tuple(mark[1:4]), "the data is cut by rank here")),
                "cut by rank, then by the sampler",
            )
    for event, _ in seen.of("prepare"):
        loader = event.subject
        row = run.knowledge.api(event.api)
        how = row.extra.get("divides") if row is not None else None
        if not isinstance(loader, Object) or how is None:
            continue
        yield from taken_over(run, loader, event, sampled=how == "always")
    for event, _ in seen.of("hand-over"):
        held = event.subject
        if not isinstance(held, Object) or not event.extra.get("replaces"):
            continue
        if held.kind == LOADER:
            if not is_stream(held):
                yield from taken_over(run, held, event, sampled=False)
            continue
        for mark in cut_by_rank(held)[:1]:
            name = event.api.rpartition(".")[2]
            again = Step.of(event, f"`{name}` divides what it is given between the ranks")
            yield (mark[1], mark[2], mark[3]), kept(again), f"cut by rank here, then by `{name}`"
    for use in seen.training():
        dataset = webdatasets.dataset_of(use.loader)
        splitter = webdatasets.splitter(run.knowledge, dataset) if dataset is not None else None
        if dataset is None or splitter is None or use.reduced is None:
            continue
        for mark in [one for stage in webdatasets.stages(dataset) for one in cut_by_rank(stage)][:1]:
            name = splitter.name.rpartition(".")[2]
            again = step_at(place_of(dataset), f"`{name}` divides the shards between the ranks")
            yield (mark[1], mark[2], mark[3]), kept(again, spoken_training(use)), f"cut by rank, then by `{name}`"


def taken_over(run: Run, loader: Object, event: Event, sampled: bool) -> Iterator[tuple[Site, Steps, str]]:
    """A loader that is already divided goes to somebody who divides it."""
    name = event.api.rpartition(".")[2]
    again = Step.of(event, f"`{name}` divides what it is given between the ranks")
    sampler = inner_sampler(loader)
    if isinstance(sampler, Object) and sampler.facts.get("shards"):
        if sampled:
            made = step_at(place_of(sampler), "the sampler divides the data between the ranks")
            yield place_of(loader), kept(made, again), f"by the sampler, then by `{name}`"
        return
    dataset = loader.attributes.get("dataset")
    places = [tuple(mark[1:4]) for mark in cut_by_rank(dataset)[:1]] if dataset is not None else []
    if not places and isinstance(dataset, Object) and gives_its_share(loader):
        places = [place_of(dataset)]
    if not places and sampled:  # such a framework divides a stream, too
        places = stream_cut_by_rank(run, loader)
    for place in places:
        yield (
            place_of(loader),
            kept(step_at(place, "the data is cut by rank here"), again),
            f"cut by rank, then by `{name}`",
        )


def is_stream(loader: Object) -> bool:
    """A trainer that puts a sampler of its own onto the loaders it is given has none for a stream."""
    known = loader.facts.get("described")
    return known is not None and known.iterable


def stream_cut_by_rank(run: Run, loader: Object) -> list[Site]:
    """Where a stream of the project leaves out what is for other ranks, or walks over its rank's part alone."""
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    known = (one.facts.get("described") for one in loaders.values() if one.facts.get("original", one) is loader)
    for look in (look for one in known if one is not None for look in one.looks):
        split = inside.splits_by_rank(look) if look.iterable and look.known and not look.cut else False
        if isinstance(split, Decision) and (split.cause is None or split.cause.kind not in PARTIAL):
            return [(split.path, split.at, split.function)]
    return []


def inner_sampler(loader: Object) -> Value | None:
    held = loader.attributes.get("batch_sampler") or loader.attributes.get("sampler")
    if isinstance(held, Object) and held.kind == "torch.utils.data.BatchSampler":
        return held.attributes.get("sampler")
    return held


def gives_its_share(loader: Object) -> bool:
    """Does the data set count the samples of one rank only, and find by its rank what each of them is?"""
    known = loader.facts.get("described") or Described()
    total = known.total
    if not isinstance(total, Unknown) or not any(map(a_ranks_part, provenance.symbols_in(total.symbol))):
        return False
    values = [value for look in known.looks if not look.iterable for value in look.values]
    return any(provenance.cause_of(value, frozenset({"rank"})) is not None for value in values)


def a_ranks_part(symbol: Symbol) -> bool:
    """`total // world`"""
    return symbol.key[0] == "op //" and isinstance(symbol.key[2], tuple) and symbol.key[2][-1] == "world"


PARTIAL = frozenset({"local rank", "node", "group rank"})


def cut_by_rank(dataset: Value) -> list[tuple[Any, ...]]:
    """Where this data was cut by the rank in the whole world."""
    if provenance.cause_of(dataset, PARTIAL) is not None:
        return []
    counted = counted_by(dataset)
    found = sharding.shards_of(dataset)
    return (
        found if counted is None else [mark for mark in found for held in counted if mark in sharding.shards_of(held)]
    )


def counted_by(dataset: Value) -> list[Value] | None:
    """What its `__len__` asks: a sampler divides as many samples as that says, whatever else is cut in it."""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, ClassRef):
        return None
    method = classes.in_class(None, dataset.kind, "__len__")  # type: ignore[arg-type]  # needs no machine
    if not isinstance(method, FunctionRef) or not isinstance(method.node, ir.Function):
        return None
    return [held for name, held in dataset.attributes.items() if name in method.node.tokens] or None


def half_split(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    yield from half_split_hosts(run)
    seen = survey(run)
    for use in seen.training():
        if use.reduced is None or use.loader.facts.get("prepared"):
            continue
        dataset = webdatasets.dataset_of(use.loader)
        if dataset is not None and half_split_pipeline(run, dataset):
            yield (
                place_of(dataset),
                kept(step_at(place_of(use.loader), "the loader of it"), spoken_training(use)),
                "worker",
            )
        pipeline = webdatasets.split_by_rank_alone(run.knowledge, use.loader)
        if pipeline is not None and several_workers(use.loader):
            yield place_of(pipeline), kept(step_at(place_of(use.loader), "its workers"), spoken_training(use)), "rank"
        yield from half_split_stream(use.loader, whole_world(run, use.reduced), spoken_training(use))
    for event, _ in seen.of("hand-over"):
        if isinstance(event.subject, Object) and event.subject.kind == LOADER:
            taken = Step.of(event, "the trainer leaves a stream as it is")
            yield from half_split_stream(event.subject, several_processes(run), taken)


def half_split_stream(loader: Object, together: bool, learns: Step | None) -> Iterator[tuple[Site, Steps, str]]:
    """A stream of the project that asks for its rank or for its worker only. `together`: all ranks learn from it."""
    known = loader.facts.get("described") or Described()
    for look in known.looks:
        if not look.iterable or not look.known or look.cut:
            continue
        by_rank, by_worker = inside.splits_by_rank(look), inside.splits_by_worker(look)
        steps = kept(step_at(place_of(loader), "the loader of the training data"), learns)
        if by_worker and not by_rank and known.gives == "same" and together:
            yield split_place(by_worker, loader), steps, "worker"
        elif by_rank and not by_worker and several_workers(loader) and not draws(look):
            yield split_place(by_rank, loader), steps, "rank"


def half_split_hosts(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    """JAX: a pipeline split by worker alone feeds the devices of a host, in a program that asks which host it is."""
    seen = survey(run)
    if not (run.facts.get("jax hosts") and seen.gradients):
        return
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for event, _ in seen.of("device-split"):
        for mark in provenance.marks(event.subject, "loader", 2) if event.subject is not None else ():
            loader = loaders.get(mark[1])
            dataset = loader.attributes.get("dataset") if loader is not None else None
            if isinstance(dataset, Object) and half_split_pipeline(run, dataset):
                fed = Step.of(event, "a batch of it goes to this host's devices")
                learns = Step.of(seen.gradients[0], "the gradients of all hosts are combined here")
                yield place_of(dataset), kept(fed, learns), "worker"


def half_split_pipeline(run: Run, dataset: Value | None) -> bool:
    """A WebDataset pipeline with a stage that splits by worker and none that splits by rank."""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, str):
        return False
    stages = set()
    for held in provenance.parts(dataset, 2):
        if isinstance(held, FunctionRef) or (isinstance(held, Object) and isinstance(held.kind, ClassRef)):
            return False  # a stage of the project's own may divide between the ranks
        if isinstance(held, External):
            stages.add(held.name)
        elif isinstance(held, Unknown):
            if held.cause is not None:
                return False  # a stage that is another one on each rank: `slice(rank, None, world_size)`
            stages.update(str(symbol.key[0]) for symbol in provenance.symbols_in(held.symbol))
    rows = [row for row in map(run.knowledge.api, sorted(stages)) if row is not None]
    kinds = {row.record for row in rows}
    return "split-by-worker" in kinds and "split-by-rank" not in kinds


def several_workers(loader: Object) -> bool:
    """A number of at least two, or one that an option of the program chooses."""
    given = option(loader, "num_workers")
    return chosen_outside(given) or (number_of(given) or 0) > 1


def draws(look: inside.Inside) -> bool:
    """Do its workers draw something else each? In whichever order one of them goes through a list, it gives all of it
    in one pass; what never ends is no pass."""
    passes = not inside.is_endless(look) and not inside.stops_by_count(look)
    return not all(
        inside.drawn_alike(event) or inside.seeded_by_rank_alone(event) or (passes and only_orders(look, event))
        for event in look.events("draw")
    )


def only_orders(look: inside.Inside, event: Event) -> bool:
    """`random.shuffle(files)`, and then a walk over all of them."""
    given = event.extra["call"].arguments[:1]
    if event.api.rpartition(".")[2] != "shuffle" or not given:
        return False
    return any(token(walked) == token(given[0]) for walked in inside.loops(look))


def split_place(split: Any, loader: Object) -> Site:
    if isinstance(split, bool):
        dataset = loader.attributes.get("dataset")
        return place_of(dataset) if isinstance(dataset, Object) else place_of(loader)
    return (split.path, split.at, split.function)
