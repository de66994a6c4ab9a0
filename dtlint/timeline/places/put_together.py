"""Did the ranks put together what they have found in this part of the data, in one way or another?

A program that reduces a number of its evaluation knows that each rank has a part. Where that number is then told as if
nobody had reduced it, the way between may not have been seen: a table under names that are made up, a copy that holds
the same memory. If what came out of the reduction is seen to be told, then this number is another one. Parts of a model
reduce among themselves as well, which says nothing of the data.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.machine.control.agreeing import PUT_TOGETHER
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.marks import loaders_of
from dtlint.machine.library.computing.metrics import AGREED_SHOWN
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.values import Value
from dtlint.timeline.records import recorded
from dtlint.timeline.samples.data import whole_world

LOST = "agreed-unseen"  # into a copy that nobody can read
JOINS = frozenset(
    {"all_reduce", "all_reduce_coalesced", "reduce", "all_gather", "all_gather_into_tensor", "gather"}
    | {"all_gather_object", "gather_object"}
)


def put_together(run: Run, loaders: frozenset[int], told: Event) -> bool:
    """Is something that was made of these loaders' batches reduced or gathered, and what came of it not told?"""
    lost = {id(event.extra["call"]) for event, _ in recorded(run, LOST)}
    joins = (event for event, _ in recorded(run, "<collective>") if event.op in JOINS and whole_world(run, event))
    given = (value for event in joins if id(event.extra.get("call")) not in lost for value in taken(event))
    reduced = [value for value in given if loaders & loaders_of(value)]
    if not reduced:
        return False
    events = (told, *(found for found, _ in recorded(run, AGREED_SHOWN)))
    return not any(loaders & outcome for event in events for outcome in outcomes(event))


def taken(event: Event) -> Iterator[Value]:
    yield from (value for name in ("held", "tensor") if isinstance(value := event.extra.get(name), Value))


def outcomes(told: Event) -> Iterator[frozenset[int]]:
    """The loaders of which something is told here that all ranks have put together."""
    call = told.extra.get("call")
    for value in call.values if isinstance(call, Invocation) else ():
        for held in provenance.parts(value, 2):
            if held.cause is None:
                yield frozenset(tag[1] for tag in held.tags if isinstance(tag, tuple) and tag[0] == PUT_TOGETHER)
