"""Where do ranks have batches of another size, or another number of them? (DT202, DT206)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import sharding, streams, whole_batches
from dtlint.machine.library.feeding.loader_options import LOADER, is_open, number_of, option
from dtlint.machine.library.feeding.whole_batches import unpadded
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Choice, Event, LogNode, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import NONE, Const, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.rounds import goes_round
from dtlint.timeline.samples.counted_batches import filled_up, only_whole_ones
from dtlint.timeline.samples.data import Steps, kept
from dtlint.timeline.steps.training import PartLoop, loader_of, place_of, step_at, survey


def partial_batches(run: Run) -> Iterator[tuple[Site, Steps, str]]:
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
    for event, loader in (*divided_between_devices(run), *batches_at(run, "mesh-split")):
        if may_be_partial(loader) and event.subject is not None and unpadded(event.subject):
            yield place_of(loader), kept(Step.of(event, "the batch is divided between the devices here")), "split"
        cut = cut_into(loader)
        if cut is not None and event.subject is not None and unpadded(event.subject):
            yield cut[1], kept(Step.of(event, "the batch is divided between the devices here")), "split"
    yield from cut_by_hand(run)
    for event, loader in batches_at(run, "whole-shape"):
        cut = cut_into(loader)
        if cut is not None and is_product(run, cut[0].get("batch_size"), event.extra["shapes"]):
            yield cut[1], kept(Step.of(event, "a shape for whole batches is asked for here")), "shape"
    for event, loader in batches_at(run, "fixed-size"):
        if may_be_partial(loader) and option(loader, "batch_size") == event.extra["size"]:
            yield place_of(loader), kept(Step.of(event, "a buffer for whole batches takes it here")), "buffer"
    trained = [use.loader for use in seen.training()]
    for event, _ in seen.of("compiled-for"):
        given = event.extra["call"].get("loader")
        if any(loader is given for loader in trained) and may_be_partial(given):
            yield place_of(given), kept(Step.of(event, "a step is compiled for its batches' shape")), "compiled"
    for event, loader in batches_at(run, "static-size"):
        if any(loader is one for one in trained) and may_be_partial(loader):
            yield place_of(loader), kept(Step.of(event, "the model is compiled for the batch's size here")), "static"


def cut_by_hand(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    """Slices of stored data that are divided between the devices, the last one like the others."""
    done: set[Any] = set()
    seen = survey(run)
    for event, path in (*seen.of("device-split"), *seen.of("mesh-split")):
        for mark in provenance.marks(event.subject, whole_batches.HAND_CUT, 1) if event.subject is not None else ():
            if mark in done or not unpadded(event.subject) or asked_for_rest(path, mark[4]):
                continue
            done.add(mark)
            yield mark[1:4], kept(Step.of(event, "the batch is divided between the devices here")), "split"


def asked_for_rest(path: tuple[LogNode, ...], number: Symbol) -> bool:
    """Does the program look whether a slice is whole, around the loop's turn or on the way through it?"""
    turns = [node for node in path if isinstance(node, Loop)]
    inner = [node for turn in turns for node, _ in walk(turn.body) if isinstance(node, Choice) and any(node.exits)]
    asked = [node for node in path if isinstance(node, Choice)]
    return any(node.symbol is not None and number in provenance.symbols_in(node.symbol) for node in (*asked, *inner))


def divided_between_devices(run: Run) -> Iterator[tuple[Event, Object]]:
    return batches_at(run, "device-split")


def batches_at(run: Run, what: str) -> Iterator[tuple[Event, Object]]:
    """Where this is done to batches, and the loader they come from."""
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for event, path in survey(run).of(what):
        for mark in provenance.marks(event.subject, "loader", 2) if event.subject is not None else ():
            loader = loaders.get(mark[1])
            if loader is None:
                continue
            walked = any(isinstance(node, Loop) and loader_of(node.subject) is loader for node in path)
            if not filled_up(run, loader) and (walked or not only_whole_ones(run, loader)):
                yield event, loader


def cut_into(loader: Object) -> tuple[Invocation, Site] | None:
    """Where a stream is cut into batches of which the last may be smaller."""
    found = loader.facts.get(streams.BATCHED)
    return (found[0], tuple(found[1][1:4])) if found is not None else None


def is_product(run: Run, size: Value | None, shapes: tuple[Any, ...]) -> bool:
    """`batch(numpy.prod(shape))`"""
    key = size.symbol.key if isinstance(size, Unknown) else ()
    row = run.knowledge.api(str(key[0])) if len(key) == 2 and key[1] in shapes else None
    return row is not None and bool(row.extra.get("product"))


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


def uneven_shards(run: Run) -> Iterator[tuple[Site, Steps]]:
    for part in survey(run).parts:
        if part.talks is None or part.leaves or part.loop.cause is None or part.loop.cause.kind != "shard":
            continue
        if goes_round(part.loop, part.above) or not part.talks.mask & (part.talks.mask - 1):
            continue  # where one rank walks alone, nobody turns as often as it
        marks = cuts(part.loop)
        if not marks:
            continue
        place: Site = (marks[0][1], marks[0][2], marks[0][3])
        cut = step_at(place, "each rank takes its own part here")
        rounded = [
            site
            for site in run.facts.get("ceilings", ())
            if site[0] == place[0] and site[2] == place[2] and site[1] < place[1]
        ]
        if rounded:
            place = rounded[-1]
        cause = part.loop.cause.steps()
        yield place, kept(*cause, cut, loop_step(part), talking_step(part))


def cuts(loop: Loop) -> list[Any]:
    """Where was what this loop walks over cut into parts for the ranks?"""
    loader = loader_of(loop.subject)
    known = loader.facts.get("described") if loader is not None else None
    if known is not None:
        return list(known.shards)
    return sharding.shards_of(loop.subject) if loop.subject is not None else []


def loop_step(part: PartLoop) -> Step:
    decision = part.loop.decision
    return Step.of(decision, f"`{decision.text}` turns more often on some ranks")


def talking_step(part: PartLoop) -> Step | None:
    return Step.of(part.talks, "and every turn waits for all ranks here") if part.talks is not None else None
