"""Has nobody chosen a device of its own for each rank before it works on one?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import alone, of_one
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Attempt, Event
from dtlint.machine.values import (
    NONE,
    Const,
    Object,
    Row,
    Value,
)
from dtlint.timeline import devices
from dtlint.timeline.order import Met, exclusive, ordered
from dtlint.timeline.programs import in_an_actor
from dtlint.timeline.steps.placement import INIT, PARAMS, named, names_device, number_of, sets_visible, starts_itself
from dtlint.timeline.steps.stepping import events

LATER = ("signal", "exit", "finaliser")


def unchosen(run: Any) -> Iterator[tuple[Met, Met, Met | None]]:
    """The first GPU work after an NCCL start for which nobody chose this rank's device, and the choice that comes too
    late for it. Where the backend is an option, only such a choice shows that the ranks work on GPUs of their own. A
    program of several commands starts in each of them for itself."""
    begun: list[Met] = []
    if sets_visible(run) or alone(run):
        return
    for start in events(run, "record", "init"):
        if (start.event.api != INIT and not own_card(start.event)) or not all(exclusive(start, one) for one in begun):
            continue
        begun.append(start)
        found = unchosen_before(run, start) or unchosen_behind(run, start)
        if found is not None:
            work, late = found
            yield work, start, late
            return


def unchosen_before(run: Any, start: Met) -> tuple[Met, Met] | None:
    """GPU work before the start, and the choice of a device behind it. What spawns the ranks works for itself."""
    if spawns(run) or starts_itself(run) or of_one(start.event) or in_an_actor(run, start.event):
        return None
    choice = next((met for met in ordered(run) if chooses(met.event) and not exclusive(met, start)), None)
    if choice is None or choice.event.mask != run.world.full:
        return None
    for met in ordered(run):
        if met.number >= min(start.number, choice.number):
            return None
        if met.event.mask == run.world.full and on_default_device(run, met.event) and not exclusive(met, choice):
            return met, choice
    return None


def unchosen_behind(run: Any, start: Met) -> tuple[Met, Met | None] | None:
    """The GPU work behind this start, and the choice that comes too late."""
    if of_one(start.event) or in_an_actor(run, start.event):
        return None
    nccl = own_card(start.event) or is_nccl(devices.with_gpus(run, start.event.extra["call"].get("backend")))
    if nccl is False or start.event.extra["call"].get("device_id") not in (None, NONE):
        return None
    choices = [met for met in ordered(run) if chooses(met.event) and not exclusive(met, start)]
    if nccl is None and not choices:
        return None
    for met in ordered(run):
        if met.number > start.number and not exclusive(met, start) and not some_other_time(met):
            if any(one.number <= met.number for one in choices):
                return None
            meets = (nccl or any(just_behind(met, one) for one in choices)) and meets_on_device(run, met.event)
            if on_default_device(run, met.event) or (
                meets and (choices or (packs(met.event) and works_on_own(run, met)))
            ):
                late = next((one for one in choices if not exclusive(met, one)), None)
                return (met, late) if nccl or late is not None else None
    return None


def just_behind(met: Met, choice: Met) -> bool:
    """In the same function, which so has GPUs in mind whatever backend it is given?"""
    one, other = met.event, choice.event
    return met.number < choice.number and (one.path, one.function) == (other.path, other.function)


def own_card(event: Event) -> bool:
    """Is each process meant for a GPU of its own, where it uses any?"""
    call = event.extra.get("call")
    return call is not None and bool(call.row.extra.get("own_card"))


def some_other_time(met: Met) -> bool:
    """Does it stand in a function that runs when a signal comes, or at the end?"""
    return any(isinstance(node, Attempt) and node.kind in LATER for node, _ in met.above)


def on_nccl(call: Any) -> bool | None:
    return is_nccl(call.get("backend"))


def is_nccl(backend: Value | None) -> bool | None:
    """Is this backend, or one of several, NCCL? None where it is an option."""
    if isinstance(backend, Const):
        return isinstance(backend.value, str) and "nccl" in backend.value.lower()
    return None if backend is not None else False


def chooses(event: Event) -> bool:
    call = event.extra.get("call")
    return event.kind == "record" and call is not None and bool(call.row.extra.get("chooses"))


def on_default_device(run: Any, event: Event) -> bool:
    """`.cuda()`, `.to("cuda")`, `zeros(3, device="cuda")`: the current device, which is GPU 0 in every process."""
    if event.kind == "record" and event.op == "backend":
        return event.extra.get("device") == Const("cuda")
    if event.op == "move" and has_nothing(event.subject):
        return False
    return devices.with_gpus(run, devices.named(event)) == Const("cuda")


def has_nothing(moved: Any) -> bool:
    """`CrossEntropyLoss(ignore_index=0).cuda()`: a loss has no parameters, and no weights but those it is given."""
    made = moved.facts.get("call") if isinstance(moved, Object) else None
    if not isinstance(made, Invocation) or "loss" not in made.row.extra:
        return False
    return not made.arguments and all(name is not None and not name.endswith("weight") for name, _ in made.keywords)


def meets_on_device(run: Any, event: Event) -> bool:
    """An object collective uses the current device, and a barrier does in the versions that do not go by the rank."""
    call = event.extra.get("call")
    if event.kind != "collective" or call is None or not call.row.name.startswith("torch.distributed."):
        return False
    since = call.row.extra.get("current_device_since")
    if since is not None and run.project.pins.before(event.path, since):
        return False
    return (event.op == "barrier" and call.get("device_ids") in (None, NONE)) or packs(event)


def packs(event: Event) -> bool:
    """Does it send objects, packed into a tensor on the current device? In a group that is made for it, as one of gloo
    may be, the tensor is elsewhere."""
    call = event.extra["call"]
    if call.get("device") not in (None, NONE) or call.get("group") not in (None, NONE):
        return False
    return call.row.name.endswith(("_object", "_object_list"))


def works_on_own(run: Any, way: Met) -> bool:
    """Does the program that comes here name another device for each rank of a node? Else every process may see one
    only."""
    for met in ordered(run):
        call = met.event.extra.get("call")
        if call is None or not names_device(met.event) or exclusive(met, way):
            continue
        for value in (*(call.get(name) for name in PARAMS), *call.arguments[:1]):
            for item in named(value):
                numbers = (
                    [number_of(held) for held in item.lanes[: run.world.per_host]] if isinstance(item, Row) else []
                )
                if len(numbers) > 1 and None not in numbers and len(set(numbers)) == len(numbers):
                    return True
    return False
