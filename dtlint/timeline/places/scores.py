"""Who saves the model that all ranks have alike under a name with this rank's own score in it?

`torch.save(model.state_dict(), f"best_{accuracy:.3f}.pt")` after an evaluation of one part: the names may differ, but
nobody means them to, and what is saved does not.
"""

from __future__ import annotations

from dataclasses import replace

from dtlint.machine.run import Run
from dtlint.machine.values import Unknown, Value
from dtlint.timeline.places.files import Access
from dtlint.timeline.places.saved import WRAPPER, holds
from dtlint.timeline.steps.training import survey

SCORED = "data"  # cause: reckoned from what this rank was given
REPLICAS = frozenset({"torch.nn.Module.state_dict", WRAPPER})


def under_one_name(run: Run, access: Access) -> Access:
    """With the score left out of the name, where it is one of a model that the ranks train together."""
    call = access.call
    if access.kind != "file-write" or call is None or access.cause is None or access.cause.kind != SCORED:
        return access
    if not any(holds(value, of_a_replica) for value in call.values):
        return access
    if all(use.reduced is None for use in survey(run).training()):
        return access  # each may have a model of its own
    places = tuple(place.removesuffix(f" of {lane}") for lane, place in enumerate(access.places))
    return replace(access, places=places, scored=True)


def of_a_replica(value: Value) -> bool:
    return isinstance(value, Unknown) and value.symbol.key[0] in REPLICAS
