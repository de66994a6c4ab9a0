"""Are the gradients of some models reduced, by hand or by a wrapper, and those of another one forgotten?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.training.stepping import PLAIN
from dtlint.machine.library.training.wrapping import LEFT
from dtlint.machine.values import Object
from dtlint.timeline.order import Met, choices_below, exclusive, inside, loops_over
from dtlint.timeline.steps.stepping import backwards, events, steps
from dtlint.timeline.steps.unreduced import (
    EXCHANGES,
    SENDS,
    Alone,
    averages_models,
    each_for_itself,
    of_gradient,
    reduces_by_hand,
    stepped,
    trained,
)
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


def left_unwrapped(run: Any) -> Iterator[Alone]:
    """A model that an optimizer trains, beside one that has a wrapper, is called as it is. One trained where the
    program is a single process is beside none."""
    wraps = events(run, "collective", "wrap")
    if not wraps or events(run, "collective", "optimizer_step") or averages_models(run):
        return
    wrapped = set[int](run.facts.get(LEFT, ())).union(*map(models_wrapped, wraps))
    told: set[int] = set()
    for met in backwards(run):
        subject, around = met.event.subject, loops_over(met)
        if subject is None or subject.cause is None or subject.cause.kind != "data":
            continue
        if not around or met.event.mask != run.world.full or reduces_by_hand(run, around[-1]):
            continue
        if all(exclusive(wrap, met) for wrap in wraps):
            continue
        plain = {tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == PLAIN} - wrapped
        for step in steps(run) if plain else ():
            if step.number not in told and trained(step) & plain and lasts(step, met):
                told.add(step.number)
                yield Alone(met, step, "wrap each model that is trained")
                break


def models_wrapped(wrap: Met) -> set[int]:
    """A framework is given several things at once, and may leave out some that it does not know."""
    call = wrap.event.extra.get("call")
    given = (wrap.event.subject, *(call.values if call is not None else ()))
    return set[int]().union(*(objects_in(value) for value in given if value is not None))


def lasts(step: Met, backward: Met) -> bool:
    """Does it step whenever the pass is made, with an optimizer that outlives the loop? What is adapted to a task and
    thrown away is this rank's own matter."""
    around, optimizer = loops_over(backward), stepped(step)
    same = loops_over(step) == around and choices_below(step, around[0]) == choices_below(backward, around[0])
    older = isinstance(optimizer, Object) and optimizer.number <= around[0].objects
    return same and older and step.number > backward.number


def models_reduced(run: Any, loop: Any) -> set[int]:
    """The models whose gradients are exchanged in this loop; none where anything else may be exchanged for them."""
    exchanged = (*events(run, "collective", *EXCHANGES), *events(run, "p2p", *SENDS))
    owners = [owners_of(met) for met in exchanged if inside(met, loop)]
    return set[int]().union(*owners) if all(owners) else set()


def owners_of(met: Met) -> set[int]:
    return objects_in(met.event.extra["tensor"]) if of_gradient(met) else set()
