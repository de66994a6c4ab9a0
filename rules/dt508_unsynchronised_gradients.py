"""Gradients that nothing reduces.

What it finds
-------------
Data are sharded over the ranks, and the gradients stay local: no wrapper and no reduction by hand, or none for one of
several models, or one of a copy that nobody reads, training through `model.module(...)`, a wrapper made anew in each
step or under an unrelated option only, `no_sync()` around a whole loop, or a model that moves to its device after DDP
has noted its parameters.

Why it is bad
-------------
Every rank trains a model of its own on a part of the data. Nothing fails; the checkpoint of rank 0 has seen one
shard.

Instead
-------
    model = DDP(model.to(device), device_ids=[local_rank])   # once, on its device
    loss = criterion(model(inputs), targets)                 # through the wrapper
    loss.backward()

Limits
------
Reductions written by hand are trusted: any collective on tensors between backward and step is taken for one. That a
wrapper is missing is told of programs; of a function that nobody calls only with `--strict`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Step, no_sync, partly_reduced, unreduced

RULE = Rule(
    code="DT508",
    slug="unsynchronised-gradients",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="gradients that nothing reduces",
)


def check(run: Run) -> Iterator[Finding]:
    absence = RULE.tier if run.entry.kind == "script" else "strict"  # a caller may have wrapped the model
    for met in unreduced.moved_after_wrap(run):
        event = met.event
        message = "the model moves to its device after DDP has noted its parameters"
        yield told(run, event, event, message, "move the model first, then wrap it")
    for place, backward in unreduced.inner_calls(run):
        message = "training calls the module inside the wrapper: no hook runs, and no gradient is reduced"
        yield told_at(run, place, backward.event, message, "call the wrapped model itself")
    for met in unreduced.wrapped_in_loop(run):
        event = met.event
        message = "a new wrapper around the model in every step"
        yield told(run, event, event, message, "wrap the model once, before the loop")
    for met, backward in unreduced.wrapped_sometimes(run):
        event = met.event
        message = "the model is wrapped under this option only; without it nothing reduces the gradients"
        remedy = "wrap the model whenever there is a process group"
        yield told(run, event, backward.event, message, remedy)
    for alone in unreduced.never_reduced(run):
        event, step = alone.backward.event, alone.step.event
        seeming = () if alone.seeming is None else (over_devices(alone.seeming.event),)
        yield RULE.finding(
            run.span(event.path, event.at),
            "each rank trains on its own part of the data, and nothing reduces the gradients",
            alone.remedy,
            scope=event.function,
            tier=absence,
            trail=(
                *seeming,
                Step.of(event, "the gradients of this rank"),
                Step.of(step, "are all that the optimizer of this rank steps with"),
            ),
        )
    for met in unreduced.reduced_in_a_copy(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the gradients are reduced in a copy that nobody reads: the optimizer steps with those of this rank",
            "write what was reduced back (`p.grad.copy_(…)`), or reduce `p.grad` itself",
            scope=event.function,
            trail=(Step.of(event, "the copy is equal on all ranks, the gradients are not"),),
        )
    for off, passed, stepped in no_sync.never_on(run):
        event = off.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the reduction is off for the whole loop, in which line {stepped.event.at[0]} steps",
            "enter `no_sync()` for the micro-batches before the last of a window only",
            scope=event.function,
            trail=(
                Step.of(event, "switched off here"),
                Step.of(passed.event, "the gradients of this rank stay on this rank"),
                Step.of(stepped.event, "and the optimizer steps with them"),
            ),
        )
    for alone in partly_reduced.forgotten_models(run):
        event, step = alone.backward.event, alone.step.event
        yield RULE.finding(
            run.span(step.path, step.at),
            "nothing reduces the gradients of this optimizer's model, though those of another are reduced",
            "reduce the gradients of each model between `backward()` and the step of its optimizer",
            scope=step.function,
            tier=absence,
            trail=(
                Step.of(event, "gives gradients to both"),
                Step.of(step, "steps with the gradients of this rank"),
            ),
        )
    for alone in partly_reduced.left_unwrapped(run):
        event, step = alone.backward.event, alone.step.event
        yield RULE.finding(
            run.span(step.path, step.at),
            "a model that this optimizer trains has no wrapper, though another one has: nothing reduces its gradients",
            alone.remedy,
            scope=step.function,
            tier=absence,
            trail=(
                Step.of(event, "the gradients of this rank"),
                Step.of(step, "are all that this optimizer steps with"),
            ),
        )
    for alone, late in unreduced.reduced_too_late(run):
        event, step = late.event, alone.step.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the gradients are reduced after line {step.at[0]} has used them",
            alone.remedy,
            scope=event.function,
            trail=(
                Step.of(step, "the optimizer steps with the gradients of this rank"),
                Step.of(event, "reduced too late: they are cleared before the next step"),
            ),
        )


def over_devices(wrap: Any) -> Step:
    return Step.of(wrap, "`DataParallel` reduces over the devices of one process, not over the ranks")


def told(run: Run, event: Any, backward: Any, message: str, remedy: str) -> Finding:
    return told_at(run, (event.path, event.at, event.function), backward, message, remedy)


def told_at(run: Run, place: Any, backward: Any, message: str, remedy: str) -> Finding:
    path, at, scope = place
    return RULE.finding(
        run.span(path, at),
        message,
        remedy,
        scope=scope,
        trail=(
            Step(path, at[0], message),
            Step.of(backward, "the gradients of this rank stay on this rank"),
        ),
    )
