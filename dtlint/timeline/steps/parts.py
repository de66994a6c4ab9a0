"""Do the ranks that wrap a model together hold the same model, and run the same layers of it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.parts import (
    EVERYWHERE,
    KEY,
    LEARNED,
    LEARNED_BY,
    Difference,
    made_shape,
    numbers_below,
)
from dtlint.machine.library.training.trainers import WRAPPED
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Row, Value
from dtlint.timeline.records import recorded

FIT = "fit"  # a trainer wraps the module when the hooks have built it
WRAPS = ("wrap", "fully_shard", "prepare", "boost", FIT)


@dataclass(frozen=True, slots=True)
class Differing:
    """A model that is not the same on the ranks which share its gradients."""

    wrap: Event
    difference: Difference


def differing_models(run: Run) -> Iterator[Differing]:
    wraps = [event for event, _ in recorded(run, "<collective>") if event.op in WRAPS and event.group is not None]
    if not wraps:
        return
    for event in wraps:
        subject = model_of(event)
        if isinstance(subject, Row):
            shapes = tuple(made_shape(held) for held in subject.lanes)
            if split(event, shapes):
                yield Differing(event, by_value(event, subject))
    found: list[Difference] = run.facts.get(KEY, [])
    if not found:
        return
    runs = [one for one in found if one.kind == "run"]
    seen: set[Any] = set()
    for event in wraps:
        model = model_of(event)
        below = numbers_below(model) if model is not None else frozenset()
        for one in found:
            place = (one.path, (one.decision.at if one.decision is not None else one.at)[0], one.kind)
            told = (event.path, event.at, begins(one))  # one size that differs, many layers made with it
            if place in seen or told in seen or not matters(run, event, one, below, runs):
                continue
            seen |= {place, told} if one.kind == "made" else {place}
            yield Differing(event, one)


def model_of(event: Event) -> Value | None:
    call = event.extra.get("call")
    return call.get("model") if event.op == FIT and isinstance(call, Invocation) else event.subject


def built_too_late(event: Event, one: Difference) -> bool:
    """What a trainer has wrapped already, it does not look at again."""
    model = model_of(event)
    if event.op != FIT or not isinstance(model, Object):
        return event.op == FIT
    until = model.facts.get(WRAPPED)
    return one.kind == "run" or one.moment == 0 or (until is not None and one.moment >= until)


def begins(one: Difference) -> object:
    """The last step of the trail: where the value that differs got its name."""
    steps = one.cause.steps() if one.cause is not None and one.kind == "made" else ()
    return steps[-1] if steps else id(one)


def by_value(event: Event, subject: Row) -> Difference:
    own = next((one for one in subject.lanes if isinstance(one, Object) and one.birth != event.mask and one.at), None)
    path, at = (own.path, own.at) if own is not None and own.at is not None else (event.path, event.at)
    return Difference("made", frozenset(), event.mask, None, subject.cause, path, at, event.function)


def matters(run: Run, event: Event, one: Difference, below: frozenset[Any], runs: list[Difference]) -> bool:
    if built_too_late(event, one):
        return False
    if one.kind == "run":
        if event.op != FIT and LEARNED not in run.facts:
            return False  # nobody learns: there is no gradient to be shared
        return below_wrapped(event, one, below) and not finds_unused(event) and unequal_runs(run, event, one, runs)
    if not one.roots & below or 0 < last_learned(run, below) <= one.moment:
        return False  # another model, or one that has learned everything by then
    if one.kind == "made":
        return split(event, one.lanes) if one.lanes else True
    return parted(event, one.mask | done_elsewhere(run, one))


def last_learned(run: Run, below: frozenset[Any]) -> int:
    """When gradients of this model were computed for the last time, or of any where this one gives no loss."""
    of_model = [moment for root, moment in run.facts.get(LEARNED_BY, {}).items() if root in below]
    return max(of_model, default=run.facts.get(LEARNED, 0))


def done_elsewhere(run: Run, one: Difference) -> int:
    """The ranks that do the same to the same on another branch."""
    mask = 0
    for other in run.facts.get(KEY, ()):
        if one.what and (other.kind, other.roots, other.what) == (one.kind, one.roots, one.what):
            mask |= other.mask
    return mask


def below_wrapped(event: Event, one: Difference, below: frozenset[Any]) -> bool:
    made = event.extra.get("made")
    return bool(one.roots & below) or (isinstance(made, Object) and made.number in one.roots)


def parted(event: Event, mask: int) -> bool:
    """Do some ranks of a group belong to the mask and others not, of those that come here?"""
    assert event.group is not None
    here = (members & event.mask for members in event.group.members)
    return any(one & mask and one & ~mask for one in here)


def split(event: Event, shapes: tuple[Any, ...]) -> bool:
    """Do ranks of one group hold different things? Unknown ones are like any other, but for the class they are of."""
    assert event.group is not None
    for members in event.group.members:
        there = [shape for lane, shape in enumerate(shapes) if members >> lane & 1]
        held = {shape for shape in there if "?" not in str(shape)}
        kinds = {shape[0] for shape in there if isinstance(shape, tuple)}
        if len(held) > 1 or len(kinds) > 1:
            return True
    return False


def finds_unused(event: Event) -> bool:
    call = event.extra.get("call")
    given = call.get("find_unused_parameters") if isinstance(call, Invocation) else None
    return given is not None and not (isinstance(given, Const) and given.value is False)


def unequal_runs(run: Run, event: Event, one: Difference, runs: list[Difference]) -> bool:
    """A layer that the sides of a decision both run is run by everybody."""
    if run.facts.get(EVERYWHERE, set()) & set(one.lanes):
        return False
    mask = 0
    for other in runs:
        if other.lanes == one.lanes:
            mask |= other.mask
    return parted(event, mask)
