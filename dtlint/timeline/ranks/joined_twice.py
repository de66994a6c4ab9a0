"""Do two processes join the group under one number, because each counts on its own machine?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.values import Cause, Const, Row
from dtlint.timeline.lifecycle import starts
from dtlint.timeline.order import Met
from dtlint.timeline.steps.placement import guessed, number_of, on_one_machine, starts_itself


def joined_twice(run: Any) -> Iterator[tuple[Met, Cause]]:
    """`init_process_group(rank=local_rank, world_size=world_size)`, where as many are waited for as all machines have:
    on the second machine nobody has the numbers that are missing. Who counts the devices means one machine."""
    if spawns(run) or on_one_machine(run) or starts_itself(run):
        return
    for met in starts(run):
        call = met.event.extra["call"]
        rank, size = call.get("rank"), call.get("world_size")
        if not isinstance(rank, Row) or rank.cause.kind != "local rank" or size != Const(run.world.size):
            continue
        numbers = [number_of(held) for held in rank.lanes]
        if None not in numbers and len(set(numbers)) < len(numbers) and not guessed(run, rank.cause):
            yield met, rank.cause
