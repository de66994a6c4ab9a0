"""Onto which device does each rank load what another one has saved?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.meeting.evidence import distributed
from dtlint.machine.library.training.stepping import LOADED
from dtlint.machine.logs import Attempt, Event
from dtlint.machine.values import (
    BY_PROCESS,
    NONE,
    TRUE,
    Object,
    Unknown,
)
from dtlint.timeline.places.files import accesses, overlap
from dtlint.timeline.ranks.arrivals import instead_of_start
from dtlint.timeline.records import recorded
from dtlint.timeline.steps.placement import number_of, on_one_machine, sets_visible
from dtlint.timeline.steps.stepping import events


def unmapped_loads(run: Any) -> Iterator[tuple[Event, bool]]:
    """Loads of every rank that go to the device they were saved from; whether a resume of a trainer shows it."""
    used = used_states(run)
    trains = bool(events(run, "record", "optimizer", "optimizer-step") or events(run, "step", "backward"))
    for event, path in recorded(run, "load"):
        call = event.extra["call"]
        fixed = one_for_all(call) and not sets_visible(run) and not on_one_machine(run)
        if call.row.model != "load_state" or not (unmapped(call) or fixed) or instead_of_start(run, path, event):
            continue
        if tried_otherwise(run, event, path):
            continue
        if event.extra.get("not forwarded"):
            yield event, True
        elif event.mask == run.world.full and distributed(run, "strong"):
            number = event.extra.get("number")
            yield event, number in used and trains and wraps(run)


def tried_otherwise(run: Any, event: Event, path: tuple[Any, ...]) -> bool:
    """In the handler of a `try` that loads the state where it belongs: only who has no such device comes here."""
    failed = {id(node) for node in path if isinstance(node, Attempt)} - attempted(event, path)
    return bool(failed) and any(
        not unmapped(other.extra["call"]) and not failed.isdisjoint(attempted(other, way))
        for other, way in recorded(run, "load")
    )


def attempted(event: Event, path: tuple[Any, ...]) -> set[int]:
    """The attempts in whose body, and in no handler of which, it is."""
    below = (*path[1:], event)
    found = ((node, one) for node, one in zip(path, below, strict=False) if isinstance(node, Attempt))
    return {id(node) for node, one in found if node.body.holds(one)}


def wraps(run: Any) -> bool:
    return bool(events(run, "collective", "wrap"))


def unmapped(call: Any) -> bool:
    given = call.get("map_location")
    if (given is not None and given != NONE) or of_each_rank(call):
        return False
    return call.get("mmap") != TRUE and not any(name is None for name, _ in call.keywords)


def of_each_rank(call: Any) -> bool:
    """`torch.load(f"optimizer_{rank}.pt")`: what this rank has saved itself, from its own device."""
    place = call.get("f")
    return place is not None and place.cause is not None and place.cause.kind in BY_PROCESS


def one_for_all(call: Any) -> bool:
    """`map_location="cuda:0"`: the same device for every process of the node."""
    given = call.get("map_location")
    return given is not None and number_of(given) is not None and isinstance(getattr(given, "value", None), str)


def used_states(run: Any) -> set[int]:
    """Numbers of the loads whose content goes into a model or an optimizer. A file that is nothing but the weights a
    model begins with comes from elsewhere, often from a CPU, where this program does not write it."""
    found: set[int] = set()
    wrapped = next((met.number for met in events(run, "collective", "wrap")), 0)
    for met in events(run, "record", "load-state"):
        subject = met.event.subject
        trained = not isinstance(subject, Object) or subject.facts.keys() & {"wrapped", "wrapper"}
        if not trained and "optim" not in str(getattr(subject, "kind", "")):
            continue
        call = met.event.extra["call"]
        value = call.get("state_dict")  # whether it is strict may have been loaded as well
        if value is not None:
            loads = {tag[1] for tag in value.tags if isinstance(tag, tuple) and tag[0] == LOADED}
            whole = isinstance(value, Unknown) and value.symbol.key[0] == "loaded"
            if whole and met.number < wrapped and not loads & written_here(run):
                continue
            found |= loads
    return found


def written_here(run: Any) -> set[int]:
    """Numbers of the loads from places where this program saves something; what it fetches was saved elsewhere."""
    found, saved = accesses(run), saved_into(run)
    written = {
        place
        for access in found
        if access.kind == "file-write" and ("mode" not in access.event.extra or id(access.event) in saved)
        for place in access.places
    }
    return {
        access.event.extra.get("number", -1)
        for access in found
        if access.kind == "load" and any(overlap(read, place) for read in access.places for place in written)
    }


def saved_into(run: Any) -> set[int]:
    """The files that were opened for `torch.save(state, file)`."""
    calls = (event.extra["call"] for event, _ in recorded(run, "file-write"))
    files = (value for call in calls for value in call.values if isinstance(value, Object))
    return {id(file.facts["opened"]) for file in files if "opened" in file.facts}
