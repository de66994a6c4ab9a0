"""Is the model that is called here the plain one, which says nothing to the other ranks?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.control.consistent import Answers
from dtlint.machine.library.meeting import group_start
from dtlint.machine.library.training.wrapping import WRAPPED_BY
from dtlint.machine.logs import Event, implied, told
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Symbol
from dtlint.timeline.arrays.lives import NOTHING, Use, exclude, guarding
from dtlint.timeline.ranks.parting import Divergence
from dtlint.timeline.records import recorded


def plain_model(run: Run, divergence: Divergence) -> bool:
    """A forward, or the state of it, on one side of a branch, where the model is wrapped on the other side only."""
    told = ((divergence.event, divergence.path), (divergence.other, divergence.other_path))
    for event, path in told:
        if event is not None and (event.op in ("forward", "backward") or WRAPPED_BY in facts_of(event)):
            here = Use(NOTHING, event, path)
            wraps = list(wraps_of(run, event))
            if wraps and all(
                exclude(one, here, guarding) or contradicts(run, one, divergence.answers) for one in wraps
            ):
                return True
    return False


def wraps_of(run: Run, event: Event) -> Iterator[Use]:
    """Where the model was wrapped; all the wraps of the run, where it is not known by which of them it came."""
    facts = facts_of(event)
    wraps = [(one, path) for one, path in recorded(run, "<collective>") if one.op == "wrap" and one.extra is not None]
    made_by = facts.get(WRAPPED_BY)
    own = [(one, path) for one, path in wraps if one.extra and made_by is not None and one.extra["call"] is made_by]
    for one, path in own or wraps:
        yield Use(NOTHING, one, path)


def facts_of(event: Event) -> dict[str, Any]:
    return event.subject.facts if isinstance(event.subject, Object) else {}


def contradicts(run: Run, use: Use, answers: Answers) -> bool:
    """Is another question answered where this was done than there?"""
    known = group_start.answers(run.facts)
    known.update((what, answer) for choice, side in guarding(use) for what, answer in told(choice.symbol, side))
    return any(isinstance(what, Symbol) and implied(what, known) is (not answer) for what, answer in answers)
