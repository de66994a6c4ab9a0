"""Do the workers of one number draw the same on every rank? (DT308)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.drawing.seeds import SEEDED
from dtlint.machine.library.feeding import inside
from dtlint.machine.logs import Event, Site
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Tuple, Unknown, Value
from dtlint.timeline.samples.noise import AGREES, FEWEST, Steps, asks_index, generator_of, seed_of, workers_of
from dtlint.timeline.samples.seed_collisions import WORKER, as_sum, is_setting, noise_of, package
from dtlint.timeline.steps.training import Use, place_of, step_at, survey

WHY = "it is made of the worker's number without the rank, and all ranks have workers of these numbers"


def streams_of_every_rank(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    """Seeds made of settings and the worker's number, of what workers draw for samples of their own rank."""
    done: set[Any] = set()
    for use in survey(run).training():
        if use.reduced is None or (workers_of(run, use.loader, use.described) or 0) < FEWEST:
            continue
        runs = step_at(place_of(use.loader), "runs in each of its workers")
        for place, draws in (*seeded_at_the_start(use), *seeded_inside(use)):
            if place not in done:
                done.add(place)
                yield place, (runs, Step.of(draws, "workers of the same number draw the same numbers here")), WHY


def seeded_at_the_start(use: Use) -> Iterator[tuple[Site, Event]]:
    """`worker_init_fn` seeds the global generators, which the data set draws from for this rank's samples."""
    made, known = use.loader.facts.get("worker start"), use.described
    if made is None or made.cut or known.gives != "differs":
        return
    drawn = [event for look in known.looks if not look.cut for event in noise_of(look)]
    for event in made.events("seed"):
        first = next((one for one in drawn if package(one) == package(event)), None)
        if generator_of(event) is None and first is not None and of_worker_alone(seed_of(event)):
            yield (event.path, event.at, event.function), first
            return  # the other generators are seeded with the same number beside it


def seeded_inside(use: Use) -> Iterator[tuple[Site, Event]]:
    """A generator that each worker makes for itself, for this rank's samples or for samples of nothing but numbers."""
    for look in use.described.looks:
        if look.cut or inside.splits_by_rank(look):
            continue
        if use.described.gives != "differs" and any(map(asks_index, look.values)):
            continue
        for event in look.events("draw"):
            generator = generator_of(event)
            if generator is None or not generator.facts.get("inside") or event.api.rpartition(".")[2] in AGREES:
                continue
            if of_worker_alone(generator.attributes.get(SEEDED)):
                yield (generator.path, generator.at or event.at, event.function), event


def of_worker_alone(seed: Value | None) -> bool:
    """`seed + worker`, `[seed, worker]`: settings, and the number of the worker."""
    if isinstance(seed, Object) and seed.kind == "list":
        seed = seed.attributes.get("[]")
    if isinstance(seed, Tuple):
        items = seed.items
        return any(map(of_worker_alone, items)) and all(isinstance(one, Const) or plain(one) for one in items)
    return isinstance(seed, Unknown) and plain(seed) and WORKER in (as_sum(seed.symbol) or ())


def plain(value: Value) -> bool:
    """Is it known what this is a sum of, and is it settings and a worker's number?"""
    parts = as_sum(value.symbol) if isinstance(value, Unknown) and value.cause is None else None
    return parts is not None and all(part in (1, WORKER) or is_setting(part) for part in parts)
