"""Does a schedule that a trainer steps by itself count the steps that this rank will take?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.lanes import token
from dtlint.machine.library.training.wrapping import ALONE
from dtlint.machine.values import Const, Object, Tuple, Value
from dtlint.timeline.order import Met
from dtlint.timeline.steps.schedule_counts import Schedule, WrongLength, counts_windows, multiplies_only
from dtlint.timeline.steps.schedules import schedules, step_of
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.steps.waiting import several


def before_the_trainer(run: Any) -> Iterator[WrongLength]:
    for schedule in schedules(run):
        found = of_undivided_loaders(run, schedule) if step_of(run, schedule) is None else None
        if found is not None:
            yield found


def of_undivided_loaders(run: Any, schedule: Schedule) -> WrongLength | None:
    """A trainer steps the schedule with every batch, and divides the loaders that it is given; the length is that of
    such a loader before, or of its data set."""
    fit = next((met for met in events(run, "collective", "fit") if stepped_by(run, schedule, met)), None)
    if fit is None or schedule.parallel or not of_many(fit.event.extra["call"].receiver):
        return None
    for met in events(run, "record", "loader"):
        call, loaders = met.event.extra["call"], made_by(run, met)
        dataset, size = call.get("dataset"), call.get("batch_size")
        if call.get("sampler") is not None or call.get("batch_sampler") is not None:
            continue
        batches = any(schedule.lengths == {one.number} for one in loaders) and multiplies_only(schedule.symbol)
        samples = isinstance(dataset, Object) and schedule.lengths == {dataset.number}
        if batches or (samples and size is not None and counts_windows(schedule.symbol, token(size))):
            return WrongLength(
                schedule.made,
                "the schedule counts the batches of all ranks, but the trainer divides them and steps for its own only",
                "use `trainer.estimated_stepping_batches`, or divide by the number of ranks",
                f"line {fit.event.at[0]} divides the loaders among the ranks",
            )
    return None


def made_by(run: Any, met: Met) -> list[Object]:
    """The loaders that come from this line: a method makes one more whenever it is asked."""
    node = met.event.extra["call"].node
    known = (one for one in run.facts.get("loaders", {}).values() if isinstance(one, Object))
    return [one for one in known if getattr(one.facts.get("call"), "node", None) is node]


def stepped_by(run: Any, schedule: Schedule, fit: Met) -> bool:
    """Does the module that is trained here answer with this schedule, to be stepped with every batch?"""
    call = fit.event.extra.get("call")
    module = call.get("model") if call is not None else None
    return any(
        met.event.extra["module"] is module and with_every_batch(met.event.subject, schedule.call.node)
        for met in events(run, "record", "schedules")
    )


def with_every_batch(answer: Value | None, made: Any, depth: int = 4) -> bool:
    """`{"scheduler": schedule, "interval": "step"}`, alone or in what holds it."""
    if not isinstance(answer, Object | Tuple) or not depth:
        return False
    held = tuple(answer.items) if isinstance(answer, Tuple) else tuple(answer.attributes.values())
    if isinstance(answer, Object) and answer.attributes.get(("key", "interval")) == Const("step"):
        schedule = answer.attributes.get(("key", "scheduler"))
        return isinstance(schedule, Object) and getattr(schedule.facts.get("call"), "node", None) is made
    return any(with_every_batch(one, made, depth - 1) for one in held)


def of_many(trainer: Any) -> bool:
    """Was it told to use several devices or hosts, to divide the loaders as it does, and to step with every batch?"""
    made = trainer.facts.get("call") if isinstance(trainer, Object) else None
    if made is None or made.get("use_distributed_sampler") is not None or trainer.facts.get(ALONE):
        return False
    if made.get("accumulate_grad_batches") not in (None, Const(1)):
        return False
    strategy = made.get("strategy")
    name = strategy.value if isinstance(strategy, Const) else getattr(strategy, "kind", None)
    return several(made) or name in made.row.extra.get("waits", ())
