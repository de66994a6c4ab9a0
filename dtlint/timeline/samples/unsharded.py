"""Which samples are read by every rank alike? (DT201)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dtlint.findings import Step
from dtlint.ir.leftovers import given_to_nobody
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing.seeds import alike
from dtlint.machine.library.feeding import inside, picks, samplers, sharding, webdatasets
from dtlint.machine.library.feeding.loader_options import LOADER, is_open
from dtlint.machine.library.feeding.streams import BEGUN
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Choice, Event, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import BY_SHARE, FALSE, NONE, Const, Object, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.arrays import lives
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.ranks.arrivals import in_constructor
from dtlint.timeline.records import ways_to
from dtlint.timeline.samples.data import Steps, kept, whole_world
from dtlint.timeline.samples.filled import filled_as_it_runs, picked_by_chance
from dtlint.timeline.steps.training import (
    Survey,
    Use,
    is_pipeline,
    place_of,
    spoken_training,
    step_at,
    survey,
)


def unsharded(run: Run) -> Iterator[tuple[Use, Site, Steps]]:
    """Training loops that combine gradients of ranks which all saw the same samples."""
    seen = survey(run)
    if seen.of("model-parallel") or evidence.alone(run):
        return  # ranks that share a model share its data on purpose, and one process has nobody to share it with
    for use in seen.training():
        if use.reduced is None or not whole_world(run, use.reduced):
            continue
        forgotten = sampler_left_out(run, use)
        reads_all = use.described.gives == "same" or webdatasets.reads_all(run.knowledge, use.loader) is not None
        if not reads_all and not walked_bare(use) and forgotten is None:
            continue
        if splits_by_worker(use.loader):
            continue  # half a split is another rule's question
        if divided_elsewhere(run, use.loader) or (run.entry.kind == "function" and not made_in(run, use.loader)):
            continue  # an instance nobody was seen to make may have been prepared by another of its methods
        dataset = use.loader.attributes.get("dataset")
        if filled_as_it_runs(dataset) or picked_by_chance(dataset) or drawn_without_end(use):
            continue
        place = place_of(use.loader)
        source = stream_under(use.loader)
        if source is not None:
            read = step_at(place, "the loader that every rank reads")
            yield use, place_of(source), kept(read_at(source), read, spoken_training(use))
            continue
        made = step_at(place_of(dataset), "the data set, whole on every rank") if isinstance(dataset, Object) else None
        if (alike := made_alike(use)) is not None:
            made = step_at(place_of(alike), "this sampler takes the part of one rank, whichever rank asks")
        if forgotten is not None:
            made = Step.of(forgotten, "this sampler divides the data, but the loader does not have it")
        yield (
            use,
            place,
            kept(
                *(ways_to(run, place_of(alike)) if alike is not None else ()),
                made,
                step_at(place, "every rank walks over the same samples" if alike is not None else UNDIVIDED),
                walked_at(use),
                spoken_training(use),
            ),
        )


UNDIVIDED = "no sampler: every rank walks over all of it"


def made_alike(use: Use) -> Object | None:
    """The sampler that takes the same part on all ranks."""
    sampler = use.described.sampler
    return sampler if isinstance(sampler, Object) and samplers.takes_alike(sampler) else None


def tier_of(run: Run, use: Use) -> str:
    """Does the program divide data that it trains on in another place: does it know that this has to be done? Then what
    was not seen may be how it does so here, unless it is seen that the sampler of this very data is left out."""
    seen = survey(run)
    if use.backward is None or sampler_left_out(run, use) is not None:
        return "default"
    made = (event.extra["call"] for event, _ in seen.of("sampler"))
    divides = any(call.get("shuffle") != FALSE and not samplers.told_one_rank(call) for call in made) or any(
        other.loader is not use.loader and other.described.gives == "differs" and not other.described.whole
        for other in seen.training()
    )
    return "strict" if divides else "default"


def walked_at(use: Use) -> Step | None:
    """The loop over it, where that is in another file than the loader: the way between is where it can be divided."""
    decision = use.loop.decision if use.loop is not None else None
    if decision is None or decision.path == place_of(use.loader)[0]:
        return None
    return Step.of(decision, "they walk over it here")


def drawn_without_end(use: Use) -> bool:
    """Batches that a program asks for as long as it likes, in an order that each rank draws by a seed of its own: there
    is no pass over the data that the ranks could share."""
    drawn = use.described.drawn
    turns = (node for node in use.begun if isinstance(node, Loop) and node.decision.endless)
    return use.loop is None and drawn is not None and drawn.verdict == "differs" and any(turns)


def walked_bare(use: Use) -> bool:
    """A pipeline that is walked over without a loader around it, and that nobody has told the rank. Those of WebDataset
    answer for themselves, and what a class of the program makes of its stages nobody knows."""
    loader = use.loader
    if not is_pipeline(loader) or webdatasets.is_one(loader) or not same_on_all_hosts(loader):
        return False
    turn = walk(use.loop.body) if use.loop is not None else ()  # `if number % world != rank: continue`
    return not any(one.cause is not None and one.cause.kind in BY_SHARE for one, _ in turn if isinstance(one, Choice))


def sampler_left_out(run: Run, use: Use) -> Event | None:
    """Where a sampler that divides was made of the very data that this loader walks over without it: whoever made it
    holds the data to be the same on all ranks."""
    given, dataset = use.described.sampler, use.loader.attributes.get("dataset")
    plain = given is None or (
        isinstance(given, Object) and given.kind in samplers.ORDERS and not samplers.puts_back(given)
    )
    if (
        not plain
        or "described" not in use.loader.facts
        or is_open(use.loader)
        or dataset is None
        or use.loader.facts.get("prepared")
    ):
        return None
    if isinstance(dataset, Const) or (dataset.cause is not None and dataset.cause.kind in BY_SHARE):
        return None
    made = (event for event, _ in survey(run).of("sampler") if event.extra["call"].get("dataset") == dataset)
    return next(made, None)


def left_out(run: Run, told: Sequence[tuple[Use, Site, Steps]]) -> Iterator[tuple[Use, Site, Steps]]:
    """Loaders without the sampler that was made for their data and is given to nobody, whoever trains on them; those
    that are told already left out."""
    seen = survey(run)
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    taken = [event.subject for event, _ in (*seen.of("hand-over"), *seen.of("prepare"))]
    taken += [use.loader for use, *_ in told]
    for loader in loaders.values():
        place, dataset = place_of(loader), loader.attributes.get("dataset")
        if loader in taken or not undivided(loader) or dataset is None or dataset == NONE:
            continue
        for event, path in seen.of("sampler"):
            call = event.extra["call"]
            if (event.path, event.function) != (place[0], place[2]) or call.get("dataset") != dataset:
                continue
            if call.get("shuffle") == FALSE:
                continue  # what only looks at the data may see all of it
            if given_to_nobody(run.project.tree(event.path), *event.at[:2]):
                made = Step.of(event, "this sampler divides the data, but nobody is given it")
                yield Use(loader, None, path), place, kept(made)


def undivided(loader: Object) -> bool:
    """A loader of torch's, or one like it, whose data nobody divides."""
    given = [loader.attributes.get(name, NONE) for name in ("sampler", "batch_sampler")]
    return given == [NONE, NONE] and not is_open(loader) and not loader.facts.get("prepared")


def divided_elsewhere(run: Run, loader: Object) -> bool:
    """Is there a sampler that divides the same data, on the other side of a branch than this loader (`if world == 1`)?
    Then this one is for a program of one process."""
    dataset = loader.attributes.get("dataset")
    made = made_in(run, loader)
    others = (
        lives.Use(lives.NOTHING, one, path)
        for one, path in survey(run).of("sampler")
        if isinstance(dataset, Object | Unknown) and one.extra["call"].get("dataset") == dataset
    )
    return any(lives.exclude(one, other) for other in others for one in made)


def made_in(run: Run, loader: Object) -> list[lives.Use]:
    """Where this loader is made, in the program itself rather than by a constructor that was run for it."""
    place = place_of(loader)[:2]
    return [
        lives.Use(lives.NOTHING, one, path)
        for one, path in survey(run).of("loader")
        if (one.path, one.at) == place and not in_constructor(run, one, path)
    ]


def handed_over(run: Run) -> Iterator[tuple[Use, Site, Steps]]:
    """A loader whose data is the same on all ranks, for a trainer of several processes that was told to leave it as it
    is; a stream it cannot divide anyway."""
    for event, path in survey(run).of("hand-over"):
        loader = event.subject
        if event.extra.get("together") and isinstance(loader, Object) and walked_bare(Use(loader, None, path)):
            learns = Step.of(event, "the gradients of all ranks are combined while it learns from this")
            source = stream_under(loader) or loader
            yield Use(loader, None, path), place_of(source), kept(read_at(source), learns)
        if not isinstance(loader, Object) or loader.kind != LOADER:
            continue
        known = loader.facts.get("described")
        if known is None or known.gives != "same" or splits_by_worker(loader):
            continue  # half a split is another rule's question
        launched = event.extra.get("as_launched") and evidence.distributed(run, "strong")
        if (known.iterable or not event.extra.get("replaces")) and (launched or several_processes(run)):
            left = "the trainer leaves it as it is" if not known.iterable else "the trainer cannot divide a stream"
            yield Use(loader, None, path), place_of(loader), kept(Step.of(event, left))


def picked_alike(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Batches that the program picks itself out of stored data, with the same numbers on every rank."""
    done: set[Site] = set()
    for event, loss, _ in own_losses(run) if run.facts.get("picks") else ():
        for drawn, state in picks_in(run, loss):
            if state.site in done:
                continue
            done.add(state.site)
            picked = step_at(drawn, "the samples are picked with the same numbers on every rank")
            taken = (step_at(mark[1:4], "and taken here") for mark in provenance.marks(loss, picks.WINDOW, 0))
            combined = Step.of(event, "the gradients of all ranks are combined here")
            yield state.site, kept(*ways_to(run, state.site), picked, *taken, combined)


def walked_alike(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Windows that move on over stored data, from the same place on every rank and by the same width."""
    done: set[Site] = set()
    for event, loss, loop in own_losses(run):
        if next(picks_in(run, loss), None) is not None:
            continue  # windows of an order that all ranks have drawn alike
        for mark in provenance.marks(loss, picks.WINDOW, 0):
            place: Site = mark[1:4]
            if place not in done and picks.moves_on(run.facts, mark[4], mark[5], loop):
                done.add(place)
                combined = Step.of(event, "the gradients of all ranks are combined here")
                yield place, kept(*ways_to(run, place), combined)


def own_losses(run: Run) -> Iterator[tuple[Event, Value, Loop]]:
    """Where gradients of all ranks are combined, and the loss they are of, when nothing that a library would divide is
    in it; and the loop whose turns are the steps."""
    seen = survey(run)
    if seen.of("model-parallel"):
        return
    for event, path in seen.collectives:
        loss, loop = event.extra.get("loss"), next((node for node in reversed(path) if isinstance(node, Loop)), None)
        if event.op != "backward" or not isinstance(loss, Value) or loop is None:
            continue
        if not whole_world(run, event) or (loss.cause is not None and loss.cause.kind in (*BY_SHARE, "data")):
            continue
        kinds = {tag[0] for tag in loss.tags if isinstance(tag, tuple)}
        if "loader" not in kinds and "shard" not in kinds:
            yield event, loss, loop


def picks_in(run: Run, value: Value) -> Iterator[tuple[Site, Any]]:
    """Where samples of this were picked with numbers that are the same on all ranks, and how these were seeded."""
    sites = {number: found for found, number in run.facts.get("picks", {}).items()}
    for mark in provenance.marks(value, "picked", 0):
        drawn, state = sites[mark[1]]
        if alike(state):
            yield drawn, state


def unsharded_hosts(run: Run) -> Iterator[tuple[Site, Steps]]:
    """JAX on several hosts: each host feeds its devices, and all hosts read the same."""
    seen = survey(run)
    if not seen.of("init"):
        return
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for event, path in seen.of("host-part"):
        if any(isinstance(node, Choice | Loop) and node.cause is not None for node in path):
            continue  # a rank that skips some of it may take its part like that
        if event.subject is None or event.subject.cause is not None:
            continue
        fed = Step.of(event, "each host gives this as its part of an array of all hosts")
        for drawn, state in picks_in(run, event.subject):
            picked = step_at(drawn, "the samples are picked with the same numbers on every host")
            yield state.site, kept(*ways_to(run, state.site), picked, fed)
        for mark in provenance.marks(event.subject, "loader", 2):
            loader = loaders.get(mark[1])
            if loader is not None and same_on_all_hosts(loader):
                yield place_of(stream_under(loader) or loader), kept(fed)
    if not seen.gradients:
        return
    learns = Step.of(seen.gradients[0], "the gradients of all hosts are combined here")
    told = looked_at(seen)
    for event, _ in seen.of("device-split"):
        fed = Step.of(event, "a batch of it goes to this host's devices")
        yield from read_by_all(loaders, (event.subject,), told, fed, learns)
    for event, _ in seen.of("host-step"):  # divided on the way, wherever that was
        if not event.extra["learns"]:
            continue
        fed = Step.of(event, "a batch of it goes to this host's devices")
        yield from read_by_all(loaders, event.extra["given"], told, fed, learns)


def looked_at(seen: Survey) -> set[int]:
    """The loaders whose batches go to steps of which none learns: all hosts may look at the same there."""
    fed: dict[bool, set[int]] = {True: set(), False: set()}
    for event, _ in seen.of("host-step"):
        for value in event.extra["given"]:
            fed[event.extra["learns"]].update(mark[1] for mark in provenance.marks(value, "loader", 2))
    return fed[False] - fed[True]


def read_by_all(
    loaders: dict[int, Object], values: Sequence[Value | None], told: set[int], *steps: Step | None
) -> Iterator[tuple[Site, Steps]]:
    """The loaders that these batches come from, where all hosts read the same."""
    for mark in (mark for value in values if value is not None for mark in provenance.marks(value, "loader", 2)):
        loader = loaders.get(mark[1])
        if loader is not None and mark[1] not in told and same_on_all_hosts(loader):
            told.add(mark[1])
            source = stream_under(loader) or loader
            yield place_of(source), kept(read_at(source), *steps)


def same_on_all_hosts(loader: Object) -> bool:
    if loader.kind == LOADER:
        known = loader.facts.get("described")
        return known is not None and known.gives == "same"
    if sharding.is_part(loader) is not None or sharding.shards_of(loader):
        return False
    # only what is read from files is known to be the same on all hosts
    call = loader.facts.get("call")
    return (
        call is not None
        and call.row.record != "webdataset"
        and not any(
            isinstance(value, Unknown) and value.symbol.key[0] in ("parameter", "missing", "keyword")
            for value in call.values
        )
    )


def read_at(source: Object) -> Step | None:
    """Where the chain begins that this data set is the end of."""
    first = source.facts.get(BEGUN)
    return step_at(first, "the data is read here") if first is not None and first[:2] != place_of(source)[:2] else None


def splits_by_worker(loader: Object) -> bool:
    known = loader.facts.get("described")
    return known is not None and any(inside.splits_by_worker(look) for look in known.looks)


def stream_under(loader: Object) -> Object | None:
    """The streamed data set, where that is what has to be split."""
    if loader.kind == "webdataset.WebLoader":
        return webdatasets.dataset_of(loader)
    dataset = loader if loader.kind != LOADER else loader.attributes.get("dataset")
    if isinstance(dataset, Object) and isinstance(dataset.kind, str):
        if dataset.kind.startswith(("datasets.", "tensorflow.data.", "webdataset.")):
            return dataset
    return None


def remedy_for_sharding(use: Use) -> str:
    if stream_under(use.loader) is not None:
        return (
            "split it between the ranks, for example `split_dataset_by_node(stream, rank, world_size)` or "
            "`.shard(world_size, rank)`"
        )
    if (
        use.loader.facts.get("original") is None
        and use.reduced is not None
        and use.reduced.api.startswith("accelerate")
    ):
        return "give the loader to `accelerator.prepare` and walk over what it gives back"
    return "pass `sampler=DistributedSampler(dataset)` and call `sampler.set_epoch(epoch)` in every epoch"
