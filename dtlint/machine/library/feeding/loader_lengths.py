"""Does a loader give every rank as many batches?"""

from __future__ import annotations

import math

from dtlint.findings import Step
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import inside, samplers, sharding, totals, webdatasets
from dtlint.machine.library.feeding.lengths import even_loop, is_divided, is_slice, length_of
from dtlint.machine.library.feeding.loader_options import Described, is_true, number_of, option
from dtlint.machine.library.feeding.own_rows import CUT
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import collecting
from dtlint.machine.values import (
    NONE,
    Cause,
    Object,
    Row,
    Trail,
    Unknown,
    Value,
)


def measure(machine: Machine, loader: Object, dataset: Value, found: Described) -> None:
    """Do the ranks make the same number of turns?"""
    if found.iterable:
        uneven_stream(machine, loader, found)
        return
    length = length_of(machine, dataset)
    if length is None or length.cause is None:
        found.uneven = of_own_file(machine, dataset, found)
    if length is None:
        return
    found.total = length
    found.shards = found.shards or sharding.parts_counted(length)
    counts = totals.numbers(length)
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


def of_own_file(machine: Machine, dataset: Value, found: Described) -> Cause | None:
    """It holds what this rank has read from the file of its number: whoever wrote it said nothing of equal lengths. Of
    a file that was cut, `rows[:100]`, the first ones are taken."""
    files = machine.facts.get(provenance.OWN_FILES)
    if not files:
        return None
    for value in (*provenance.parts(dataset), *(held for look in found.looks for held in look.held)):
        if isinstance(value, Unknown) and value.cause is not None and value.cause.kind == "data":
            made_of = list(provenance.symbols_in(value.symbol))
            if not files.isdisjoint(made_of) and not any(one.key[0] in CUT for one in made_of):
                return Cause("length", value.cause.trail)
    return None


def uneven_order(machine: Machine, found: Described, order: inside.Inside) -> None:
    """What a sampler of the program gives on each rank: `order[rank::world]` of an order that was not cut to fit."""
    if order.cut or inside.is_endless(order) or inside.stops_by_count(order):
        return
    if samplers.asserts_its_number(machine, found.sampler):
        return
    for walked in (*order.values, *inside.loops(order)):
        cause = containers.length_cause(machine, as_listed(machine, walked))
        marks = sharding.shards_of(walked) or sharding.shards_of(found.sampler or NONE)  # numbers of what it holds
        if cause is not None and cause.kind == "shard" and marks:
            found.shards = marks
            found.uneven = cause
            return


def as_listed(machine: Machine, walked: Value) -> Value:
    """`range(rank, total, world)`: as long as the list of its numbers would be."""
    return collecting.numbers_of_rank(machine, walked) or walked


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
            step = Step.of(skipping, "each rank skips what others take, and the rest is not equally long")
            found.uneven = Cause("shard", Trail(step, trail))
            machine.facts.setdefault("shard sites", []).append(mark)
            return
        for walked in inside.loops(look):
            cause = containers.length_cause(machine, as_listed(machine, walked))
            marks = sharding.shards_of(walked)
            if cause is not None and cause.kind == "shard" and marks:
                found.shards.extend(mark for mark in marks if mark not in found.shards)
                found.uneven = cause
                return
