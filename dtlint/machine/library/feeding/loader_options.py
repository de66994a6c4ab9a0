"""What was a loader made with, and what is known of it?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.feeding import inside, samplers
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import (
    Cause,
    Const,
    Object,
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
    dealt: Value | None = None  # how many samples its sampler deals out to all ranks together


def option(loader: Object, name: str) -> Value | None:
    call = loader.facts.get("call")
    return call.get(name) if isinstance(call, Invocation) else None


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
