"""Does a rank take its share of all ranks' data by its number on the node? (DT201)

`DistributedSampler(data, num_replicas=world_size, rank=local_rank)` and `files[local_rank::world_size]`: the ranks of
the second node take what those of the first have, and the rest of the data is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Event, Site
from dtlint.machine.run import Run
from dtlint.machine.values import Cause, Object, Value
from dtlint.timeline.steps.training import place_of, survey

OF_ALL, TAKEN = ("num_replicas",), ("rank",)  # what samplers call them, torch's and those made after it


def taken_by_node(run: Run) -> Iterator[tuple[Site, Cause, tuple[Step, ...]]]:
    if not evidence.distributed(run, "strong") or numbered_by_node(run):
        return
    told: set[object] = set()
    for site, cause in sharding.node_shares(run.facts):
        told.add(site[:2])
        yield site, cause, cause.steps()
    for use in survey(run).uses:
        sampler = use.described.sampler
        if not isinstance(sampler, Object) or place_of(sampler)[:2] in told:
            continue
        index, count = (given(sampler, names) for names in (TAKEN, OF_ALL))
        standard = count is None and isinstance(sampler.kind, str)  # the library's own counts all ranks
        if index is not None and sharding.of_node(index, count, standard):
            told.add(place_of(sampler)[:2])
            assert index.cause is not None
            loaded = Step(use.loader.path, place_of(use.loader)[1][0], "the loader takes its samples from it")
            yield place_of(sampler), index.cause, (*index.cause.steps(), loaded)


def given(sampler: Object, names: tuple[str, ...]) -> Value | None:
    call = sampler.facts.get("call")
    for name in names:
        found = call.get(name) if call is not None else sampler.attributes.get(name)
        if found is not None:
            return found
    return None


def numbered_by_node(run: Run) -> bool:
    """Does the program itself say that the number on the node is the rank: it starts all processes on this one, or
    gives that number to its group? Or do the documents start it on one machine only?"""
    if spawns(run) or run.project.started.on_one_machine(run.entry.path):
        return True
    for node, _ in run.walk():
        call = node.extra.get("call") if isinstance(node, Event) and node.op == "init" else None
        rank = call.get("rank") if call is not None else None
        if rank is not None and rank.cause is not None and rank.cause.kind in sharding.OF_NODE:
            return True
    return False
