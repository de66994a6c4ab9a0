"""Questions of family DT2: who sees which sample?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine import attributes
from dtlint.machine.library import inside, provenance, samplers, sharding, webdatasets
from dtlint.machine.library.data import TOLD_EPOCH
from dtlint.machine.library.loaders import LOADER, is_open, is_true, number_of, option
from dtlint.machine.library.seeds import GENERATORS, State, alike
from dtlint.machine.library.whole_batches import unpadded
from dtlint.machine.logs import Choice, Event, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import BY_SHARE, NONE, ClassRef, Const, External, FunctionRef, Object, Unknown, Value
from dtlint.timeline.metrics import several_processes
from dtlint.timeline.training import (
    PartLoop,
    Use,
    event_step,
    loader_of,
    place_of,
    spoken_training,
    step_at,
    survey,
)

Place = tuple[str, Any, str]
Steps = tuple[Step, ...]


def kept(*steps: Step | None) -> Steps:
    return tuple(dict.fromkeys(step for step in steps if step is not None))


# --- DT201 -----------------------------------------------------------------------------------------------------


def unsharded(run: Run) -> Iterator[tuple[Use, Place, Steps]]:
    """Training loops that combine gradients of ranks which all saw the same samples."""
    seen = survey(run)
    if seen.of("model-parallel"):
        return  # ranks that share a model share its data on purpose
    for use in seen.training():
        if use.reduced is None or not whole_world(run, use.reduced):
            continue
        if use.described.gives != "same" and webdatasets.reads_all(run.knowledge, use.loader) is None:
            continue
        if any(splits_by_worker(use)):
            continue  # half a split is another rule's question
        dataset = use.loader.attributes.get("dataset")
        place = place_of(use.loader)
        source = stream_under(use.loader)
        if source is not None:
            yield use, place_of(source), kept(step_at(place, "the loader that every rank reads"), spoken_training(use))
            continue
        made = step_at(place_of(dataset), "the data set, whole on every rank") if isinstance(dataset, Object) else None
        yield (
            use,
            place,
            kept(made, step_at(place, "no sampler: every rank walks over all of it"), spoken_training(use)),
        )


def handed_over(run: Run) -> Iterator[tuple[Use, Place, Steps]]:
    """A loader whose data is the same on all ranks, for a trainer of several processes that was told to leave it as it
    is; a stream it cannot divide anyway."""
    for event, path in survey(run).of("hand-over"):
        loader = event.subject
        if not isinstance(loader, Object) or loader.kind != LOADER:
            continue
        known = loader.facts.get("described")
        if known is None or known.gives != "same" or known.sampler is not None:
            continue
        if (known.iterable or not event.extra.get("replaces")) and several_processes(run):
            left = "the trainer leaves it as it is" if not known.iterable else "the trainer cannot divide a stream"
            yield Use(loader, None, path), place_of(loader), kept(event_step(event, left))


def picked_alike(run: Run) -> Iterator[tuple[Place, Steps]]:
    """Batches that the program picks itself out of stored data, with the same numbers on every rank."""
    known = run.facts.get("picks")
    seen = survey(run)
    if not known or seen.of("model-parallel"):
        return
    sites = {number: found for found, number in known.items()}
    done: set[Place] = set()
    for event, path in seen.collectives:
        loss = event.extra.get("loss")
        if event.op != "backward" or not isinstance(loss, Value) or not any(isinstance(node, Loop) for node in path):
            continue
        if not whole_world(run, event) or (loss.cause is not None and loss.cause.kind in BY_SHARE):
            continue
        kinds = {tag[0] for tag in loss.tags if isinstance(tag, tuple)}
        if "loader" in kinds or "shard" in kinds:
            continue
        for mark in provenance.marks(loss, "picked", 0):
            drawn, state = sites[mark[1]]
            if state.site in done or not alike(state):
                continue
            done.add(state.site)
            picked = step_at(drawn, "the samples are picked with the same numbers on every rank")
            yield state.site, kept(picked, event_step(event, "the gradients of all ranks are combined here"))


def unsharded_hosts(run: Run) -> Iterator[tuple[Place, Steps]]:
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
        for mark in provenance.marks(event.subject, "loader", 2):
            loader = loaders.get(mark[1])
            if loader is not None and same_on_all_hosts(loader):
                fed = event_step(event, "each host gives this as its part of an array of all hosts")
                yield place_of(stream_under(loader) or loader), kept(fed)
    if not seen.gradients:
        return
    for event, _ in seen.of("device-split"):
        for mark in provenance.marks(event.subject, "loader", 2) if event.subject is not None else ():
            loader = loaders.get(mark[1])
            if loader is None or not same_on_all_hosts(loader):
                continue
            learns = event_step(seen.gradients[0], "the gradients of all hosts are combined here")
            fed = event_step(event, "a batch of it goes to this host's devices")
            yield place_of(stream_under(loader) or loader), kept(fed, learns)


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


def splits_by_worker(use: Use) -> Iterator[bool]:
    from dtlint.machine.library import inside

    for look in use.described.looks:
        if inside.splits_by_worker(look):
            yield True


def whole_world(run: Run, event: Event) -> bool:
    full = run.world.full
    return event.group is not None and all(members == full for members in event.group.members)


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


# --- DT203 -----------------------------------------------------------------------------------------------------


def shuffled_samplers(run: Run) -> Iterator[tuple[Place, Steps]]:
    """Loaders that torch refuses."""
    for event, _ in survey(run).of("loader"):
        call = event.extra["call"]
        shuffle = call.get("shuffle")
        if not is_true(shuffle):
            continue
        for name in ("sampler", "batch_sampler"):
            given = call.get(name)
            if isinstance(given, Object) and given.birth & event.mask == event.mask:
                place = (event.path, event.at, event.function)
                yield place, kept(step_at(place_of(given), f"the {name.replace('_', ' ')}"))
                break


def ordered_samplers(run: Run) -> Iterator[tuple[Place, Steps]]:
    """Training samplers with `shuffle=False` in an epoch loop."""
    for use in survey(run).training():
        sampler = use.described.sampler
        if not isinstance(sampler, Object) or use.epoch_loop is None or use.loader.facts.get("prepared"):
            continue
        if samplers.shuffles(sampler) is not False or use.reduced is None or not is_torch(run, sampler):
            continue
        if survey(run).of("shuffle"):
            continue  # the data set itself is shuffled
        loop = use.epoch_loop
        epoch = Step(loop.decision.path, loop.decision.at[0], "the epochs")
        yield place_of(sampler), kept(step_at(place_of(use.loader), "the loader of the training data"), epoch)


def is_torch(run: Run, sampler: Object) -> bool:
    return isinstance(sampler.kind, str) and samplers.DISTRIBUTED in run.knowledge.ancestors(sampler.kind)


# --- DT204 -----------------------------------------------------------------------------------------------------


def same_order_every_epoch(run: Run) -> Iterator[tuple[Place, Steps, bool]]:
    seen = survey(run)
    for use in seen.training():
        loop = use.epoch_loop
        sampler = use.described.sampler
        if loop is None or not isinstance(sampler, Object) or use.loader.facts.get("prepared"):
            continue
        if not is_torch(run, sampler) or samplers.shuffles(sampler) is not True or "epoch" in sampler.attributes:
            continue
        if not fixed_seed(sampler):
            continue
        under = [event for event, path in seen.of("set-epoch") if loop in path]
        if any(concerns(event.subject, sampler, use.loader) for event in under):
            continue
        place = (loop.decision.path, loop.decision.at, loop.decision.function)
        other = next((event_step(event, "this is another sampler") for event in under), None)
        inner = use.loop.decision if use.loop is not None else None
        walked = Step(inner.path, inner.at[0], "every turn walks over the loader anew") if inner is not None else None
        made = step_at(place_of(sampler), "the sampler shuffles by `seed + epoch`")
        yield place, kept(made, step_at(place_of(use.loader), "the loader it feeds"), other, walked), other is not None


def same_own_order_every_epoch(run: Run) -> Iterator[tuple[Place, Steps]]:
    """A sampler or data set of the program's own that has a `set_epoch`, which nobody calls."""
    seen = survey(run)
    for use in seen.training():
        loop = use.epoch_loop
        if loop is None or use.reduced is None or use.loader.facts.get("prepared"):
            continue
        told = [*seen.of("own-set-epoch"), *seen.of("set-epoch"), *seen.of("loader"), *seen.of("untold")]
        if any(any(node is loop for node in path) for _, path in told):
            continue
        held = [use.loader.attributes.get(name) for name in ("batch_sampler", "sampler", "dataset")]
        waiting = next((one for one in held if isinstance(one, Object) and waits_for_epoch(one)), None)
        if waiting is not None:
            place = (loop.decision.path, loop.decision.at, loop.decision.function)
            made = step_at(place_of(waiting), "its order depends on the epoch it was told last")
            yield place, kept(made, step_at(place_of(use.loader), "the loader it feeds"))


def waits_for_epoch(thing: Object) -> bool:
    """Does its `__iter__` ask for what its `set_epoch` sets?"""
    if not isinstance(thing.kind, ClassRef):
        return False
    told, walk_over = (attributes.in_class(None, thing.kind, name) for name in (TOLD_EPOCH, "__iter__"))  # type: ignore[arg-type]
    if not isinstance(told, FunctionRef) or not isinstance(walk_over, FunctionRef):
        return False
    if not isinstance(told.node, ir.Function) or not isinstance(walk_over.node, ir.Function):
        return False
    names = {target.name for target in assigned(told.node)}
    return not names.isdisjoint(walk_over.node.tokens)


def assigned(function: ir.Function) -> Iterator[ir.Attr]:
    for statement in function.body:
        for target in getattr(statement, "targets", ()):
            if isinstance(target, ir.Attr):
                yield target


def same_stream_every_epoch(run: Run) -> Iterator[tuple[Place, Steps]]:
    """A stream that is shuffled by `seed + epoch`, walked over again and again without being told the epoch."""
    seen = survey(run)
    for use in seen.training():
        loop, dataset = use.epoch_loop, use.loader.attributes.get("dataset", use.loader)
        if loop is None or not isinstance(dataset, Object) or "shuffled" not in dataset.facts:
            continue
        made = dataset.facts.get("call")
        if made is None or not is_true(made.get("streaming")):
            continue
        if use.loader.facts.get("prepared") or use.reduced is None:
            continue
        again = [*seen.of("set-epoch"), *seen.of("shuffle"), *seen.of("loader")]
        if any(any(node is loop for node in path) for _, path in again):
            continue
        place = (loop.decision.path, loop.decision.at, loop.decision.function)
        shuffled = step_at(dataset.facts["shuffled"], "the stream shuffles by `seed + epoch`")
        yield place, kept(shuffled, step_at(place_of(use.loader), "the loader it feeds"))


def fixed_seed(sampler: Object) -> bool:
    call = sampler.facts.get("call")
    seed = call.get("seed") if call is not None else None
    return seed is None or isinstance(seed, Const) or (isinstance(seed, Unknown) and seed.cause is None)


def concerns(subject: Value | None, sampler: Object, loader: Object) -> bool:
    """May this `set_epoch` reach the sampler?"""
    if not isinstance(subject, Object):
        return True
    if subject is sampler or subject is loader:
        return True
    held = (
        subject.attributes.get("sampler"),
        subject.attributes.get("dataset"),
        subject.attributes.get("batch_sampler"),
    )
    if sampler in held or loader_of(subject) is loader:
        return True
    return not isinstance(subject.kind, str)


# --- DT202, DT206 ----------------------------------------------------------------------------------------------


def partial_batches(run: Run) -> Iterator[tuple[Place, Steps, str]]:
    """The loader, and what the last batch does: uneven ranks, a split that fails, a buffer it does not fill."""
    seen = survey(run)
    for part in seen.parts:
        loader = loader_of(part.loop.subject)
        if (
            part.talks is None
            or part.leaves
            or loader is None
            or part.loop.cause is None
            or part.loop.cause.kind != "last batch"
        ):
            continue
        known = loader.facts.get("described")
        counts = f"ranks have {', '.join(map(str, known.counts))} samples" if known is not None and known.counts else ""
        marks = known.shards[:1] if known is not None else ()
        shards = [step_at(tuple(mark[1:4]), counts or "each rank takes its own part here") for mark in marks]
        yield place_of(loader), kept(*shards, loop_step(part), talking_step(part)), "uneven"
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for event, _ in seen.of("device-split"):
        for mark in provenance.marks(event.subject, "loader", 2) if event.subject is not None else ():
            loader = loaders.get(mark[1])
            if loader is None or not may_be_partial(loader) or not unpadded(event.subject):
                continue
            step = event_step(event, "the batch is divided between the devices here")
            yield place_of(loader), kept(step), "split"
    for event, _ in seen.of("fixed-size"):
        for mark in provenance.marks(event.subject, "loader", 2) if event.subject is not None else ():
            loader = loaders.get(mark[1])
            if loader is None or not may_be_partial(loader) or option(loader, "batch_size") != event.extra["size"]:
                continue
            yield place_of(loader), kept(event_step(event, "a buffer for whole batches takes it here")), "buffer"


def may_be_partial(loader: Object) -> bool:
    """No `drop_last`, batches of more than one sample, and a length nobody knows to fit."""
    if loader.kind != LOADER or is_open(loader) or loader.facts.get("prepared"):
        return False
    drop = option(loader, "drop_last")
    if not (drop is None or (isinstance(drop, Const) and drop.value is False)):
        return False
    if option(loader, "batch_sampler") not in (None, NONE) or (
        option(loader, "collate_fn") is None and option(loader, "batch_size") in (None, NONE)
    ):
        return False
    known = loader.facts.get("described")
    total = number_of(known.total) if known is not None else None
    size = number_of(option(loader, "batch_size"))
    return not (total is not None and size is not None and size > 0 and total % size == 0)


def uneven_shards(run: Run) -> Iterator[tuple[Place, Steps]]:
    for part in survey(run).parts:
        if part.talks is None or part.leaves or part.loop.cause is None or part.loop.cause.kind != "shard":
            continue
        loader = loader_of(part.loop.subject)
        known = loader.facts.get("described") if loader is not None else None
        marks = (
            known.shards
            if known is not None
            else sharding.shards_of(part.loop.subject)
            if part.loop.subject is not None
            else []
        )
        if not marks:
            continue
        place: Place = (marks[0][1], marks[0][2], marks[0][3])
        cut = step_at(place, "each rank takes its own part here")
        rounded = [
            site
            for site in run.facts.get("ceilings", ())
            if site[0] == place[0] and site[2] == place[2] and site[1] < place[1]
        ]
        if rounded and rounded_shard(run, place):
            place = rounded[-1]
        cause = part.loop.cause.steps()
        yield place, kept(*cause, cut, loop_step(part), talking_step(part))


def rounded_shard(run: Run, place: Place) -> bool:
    """Was it a contiguous share that was cut here, rather than every n-th item?"""
    return True


def loop_step(part: PartLoop) -> Step:
    decision = part.loop.decision
    return Step(decision.path, decision.at[0], f"`{decision.text}` turns more often on some ranks")


def talking_step(part: PartLoop) -> Step | None:
    return event_step(part.talks, "and every turn waits for all ranks here") if part.talks is not None else None


# --- DT210 -----------------------------------------------------------------------------------------------------


def divided_twice(run: Run) -> Iterator[tuple[Place, Steps, str]]:
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
        yield from taken_over(loader, event, sampled=how == "always")
    for event, _ in seen.of("hand-over"):
        held = event.subject
        if not isinstance(held, Object) or not event.extra.get("replaces"):
            continue
        if held.kind == LOADER:
            yield from taken_over(held, event, sampled=False)
            continue
        for mark in cut_by_rank(held)[:1]:
            name = event.api.rpartition(".")[2]
            again = event_step(event, f"`{name}` divides what it is given between the ranks")
            yield (mark[1], mark[2], mark[3]), kept(again), f"cut by rank here, then by `{name}`"


def taken_over(loader: Object, event: Event, sampled: bool) -> Iterator[tuple[Place, Steps, str]]:
    """A loader that is already divided goes to somebody who divides it."""
    name = event.api.rpartition(".")[2]
    again = event_step(event, f"`{name}` divides what it is given between the ranks")
    sampler = inner_sampler(loader)
    if isinstance(sampler, Object) and sampler.facts.get("shards"):
        if sampled:
            made = step_at(place_of(sampler), "the sampler divides the data between the ranks")
            yield place_of(loader), kept(made, again), f"by the sampler, then by `{name}`"
        return
    dataset = loader.attributes.get("dataset")
    for mark in cut_by_rank(dataset)[:1] if dataset is not None else ():
        cut = step_at(tuple(mark[1:4]), "the data is cut by rank here")
        yield place_of(loader), kept(cut, again), f"cut by rank, then by `{name}`"


def inner_sampler(loader: Object) -> Value | None:
    held = loader.attributes.get("batch_sampler") or loader.attributes.get("sampler")
    if isinstance(held, Object) and held.kind == "torch.utils.data.BatchSampler":
        return held.attributes.get("sampler")
    return held


PARTIAL = frozenset({"local rank", "node", "group rank"})


def cut_by_rank(dataset: Value) -> list[tuple[Any, ...]]:
    """Where this data was cut by the rank in the whole world."""
    if provenance.cause_of(dataset, PARTIAL) is not None:
        return []
    return sharding.shards_of(dataset)


# --- DT205 -----------------------------------------------------------------------------------------------------


def half_split(run: Run) -> Iterator[tuple[Place, Steps, str]]:
    yield from half_split_hosts(run)
    for use in survey(run).training():
        if use.reduced is None or use.loader.facts.get("prepared"):
            continue
        known = use.described
        dataset = use.loader.attributes.get("dataset")
        if half_split_pipeline(run, dataset) and isinstance(dataset, Object):
            yield (
                place_of(dataset),
                kept(step_at(place_of(use.loader), "the loader of it"), spoken_training(use)),
                "worker",
            )
        pipeline = webdatasets.split_by_rank_alone(run.knowledge, use.loader)
        if pipeline is not None and several_workers(use.loader):
            yield place_of(pipeline), kept(step_at(place_of(use.loader), "its workers"), spoken_training(use)), "rank"
        for look in known.looks:
            if not look.iterable or not look.known or look.cut:
                continue
            by_rank, by_worker = inside.splits_by_rank(look), inside.splits_by_worker(look)
            steps = kept(step_at(place_of(use.loader), "the loader of the training data"), spoken_training(use))
            if by_worker and not by_rank and known.gives == "same" and whole_world(run, use.reduced):
                yield split_place(by_worker, use.loader), steps, "worker"
            elif by_rank and not by_worker and several_workers(use.loader) and not draws(look):
                yield split_place(by_rank, use.loader), steps, "rank"


def half_split_hosts(run: Run) -> Iterator[tuple[Place, Steps, str]]:
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
                fed = event_step(event, "a batch of it goes to this host's devices")
                learns = event_step(seen.gradients[0], "the gradients of all hosts are combined here")
                yield place_of(dataset), kept(fed, learns), "worker"


def half_split_pipeline(run: Run, dataset: Value | None) -> bool:
    """A WebDataset pipeline with a stage that splits by worker and none that splits by rank."""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, str):
        return False
    stages = set()
    for held in provenance.parts(dataset, 2):
        if isinstance(held, FunctionRef):
            return False  # a stage of the project's own may divide between the ranks
        if isinstance(held, External):
            stages.add(held.name)
        elif isinstance(held, Unknown):
            stages.update(str(symbol.key[0]) for symbol in provenance.symbols_in(held.symbol))
    rows = [row for row in map(run.knowledge.api, sorted(stages)) if row is not None]
    kinds = {row.record for row in rows}
    return "split-by-worker" in kinds and "split-by-rank" not in kinds


def several_workers(loader: Object) -> bool:
    """A number of at least two, or one that an option of the program chooses."""
    given = option(loader, "num_workers")
    if isinstance(given, Unknown):
        return given.symbol.key[0] == "attr" and given.cause is None
    return (number_of(given) or 0) > 1


def draws(look: inside.Inside) -> bool:
    """Do its workers draw something else each?"""
    return not all(drawn_alike(event) for event in look.events("draw"))


def drawn_alike(event: Event) -> bool:
    """From a generator of its own, with a seed that says nothing of the worker."""
    call = event.extra["call"]
    state = call.extra.get("rng")
    own = isinstance(call.receiver, Object) and call.receiver.kind in GENERATORS
    if not own or not isinstance(state, State) or state.verdict != "same":
        return False
    return not provenance.mentions(state.seed, lambda symbol: "worker" in str(symbol.key[0]))


def split_place(split: Any, loader: Object) -> Place:
    if isinstance(split, bool):
        dataset = loader.attributes.get("dataset")
        return place_of(dataset) if isinstance(dataset, Object) else place_of(loader)
    return (split.path, split.at, split.function)
