"""Are the gradients of some models reduced by hand, and those of another one forgotten that steps with them?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.training.stepping import PLAIN
from dtlint.timeline.order import Met, inside, loops_over
from dtlint.timeline.steps.stepping import backwards, events, steps
from dtlint.timeline.steps.unreduced import EXCHANGES, SENDS, Alone, each_for_itself, of_gradient, trained
from dtlint.timeline.symbols import objects_in


def forgotten_models(run: Any) -> Iterator[Alone]:
    """One pass gives gradients to several models; what is exchanged in its loop is told by whose they are."""
    remedy = each_for_itself(run)
    if not remedy or events(run, "collective", "wrap", "optimizer_step") or events(run, "record", "reduce-gradients"):
        return
    for met in backwards(run):
        subject, around = met.event.subject, loops_over(met)[-1:]
        if subject is None or subject.cause is None or not around:
            continue
        plain = {tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == PLAIN}
        reduced = models_reduced(run, around[0])
        for step in steps(run) if plain & reduced else ():
            mine = trained(step) & plain
            if mine and not trained(step) & reduced and loops_over(step)[-1:] == around:
                yield Alone(met, step, remedy)
                break


def models_reduced(run: Any, loop: Any) -> set[int]:
    """The models whose gradients are exchanged in this loop; none where anything else may be exchanged for them."""
    exchanged = (*events(run, "collective", *EXCHANGES), *events(run, "p2p", *SENDS))
    owners = [owners_of(met) for met in exchanged if inside(met, loop)]
    return set[int]().union(*owners) if all(owners) else set()


def owners_of(met: Met) -> set[int]:
    return objects_in(met.event.extra["tensor"]) if of_gradient(met) else set()
