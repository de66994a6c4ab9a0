"""A step of gradient accumulation at the wrong place.

What it finds
-------------
In a loop whose optimizer steps only every n-th turn: `zero_grad`, clipping or unscaling happens in each turn, the
mean loss is not divided by n, or by how many micro-batches there have been so far, or once more where the accelerator
divides it, or `accelerator.accumulate()` belongs to an accelerator that accumulates nothing; or `zero_grad` stands in
front of the backward pass of the turn that steps, where it throws away what the turns before have added up. Also an
accelerator that is to accumulate, in a loop without `accumulate()`, and a DeepSpeed engine that steps in some turns
only; and a step after which the gradients are not cleared, because `zero_grad` stands on the other side of a branch
(mixed precision or not). And a step that asks for the end of a window but not for that of the epoch: what its last
micro-batches add up is lost, or goes into the first window of the next.

Why it is bad
-------------
The accumulated gradient is thrown away, clipped piece by piece, or n times too large: the effective batch size or
learning rate is not the one that was chosen.

Instead
-------
    (loss / accumulate).backward()
    if (step + 1) % accumulate == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

Limits
------
Losses that are not the plain mean of a loss function are assumed to be scaled somewhere. Frameworks that divide by
themselves are not looked at. A loader that drops its last batch gives up what does not fit, and so may its last window.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Step, clearing, loss_scale, steps_in_some_turns, tails, windows

RULE = Rule(
    code="DT507",
    slug="accumulation-mistake",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=(
        "torch",
        "accelerate",
        "deepspeed",
    ),
    title="a step of gradient accumulation at the wrong place",
)

MISPLACED = {
    "zero-grad": "clears the accumulated gradient",
    "clip": "clips an incomplete gradient",
    "unscale": "unscales an incomplete gradient",
}


def check(run: Run) -> Iterator[Finding]:
    for op, what in MISPLACED.items():
        for met, window in windows.in_every_turn(run, op):
            message = f"{what} in every micro-batch; line {window.step.event.at[0]} steps once per window"
            where = (
                "out of the loop, to the optimizer step"
                if window.nested
                else "to the optimizer step, under the same predicate"
            )
            yield told(run, met.event, window, message, f"move it {where}")
    for window in loss_scale.undivided(run):
        message = "the mean loss of each micro-batch is added up without dividing by their number"
        remedy = "divide the loss by the number of micro-batches before `backward()`"
        yield told(run, window.backward.event, window, message, remedy)
    for window in loss_scale.by_running_count(run):
        message = "the loss is divided by the number of this micro-batch in its window, not by how many there are"
        remedy = "divide the loss by the number of micro-batches, which is the same in all turns"
        yield told(run, window.backward.event, window, message, remedy)
    for met in loss_scale.unconfigured(run):
        event = met.event
        made: Any = event.subject
        yield RULE.finding(
            run.span(event.path, event.at),
            "`accumulate()` accumulates nothing: the Accelerator has no `gradient_accumulation_steps`",
            "make it `Accelerator(gradient_accumulation_steps=n)`",
            scope=event.function,
            trail=(
                Step(made.path, (made.at or event.at)[0], "made without `gradient_accumulation_steps`"),
                Step.of(event, "every batch is a step of its own"),
            ),
        )
    for met, step in steps_in_some_turns(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the engine takes every batch for a window of its own, but line {step.event.at[0]} steps once in several",
            "call `step()` after every `backward()` and let `gradient_accumulation_steps` of the engine decide, or "
            "tell it before each: `set_gradient_accumulation_boundary(last)`",
            scope=event.function,
            trail=(
                Step.of(event, "in every turn: gradients of the turn before may be lost here"),
                Step.of(step.event, "the engine counts its micro-batches here"),
            ),
        )
    for step, clear in clearing.kept_on_one_side(run):
        event = step.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the optimizer steps without clearing the gradients; line {clear.event.at[0]} does on the other side",
            "clear them on both sides: move `zero_grad()` behind the branch",
            scope=event.function,
            trail=(
                Step.of(event, "the gradients of this step stay for the next"),
                Step.of(clear.event, "cleared on this side only"),
            ),
        )
    for clear, entered, backward in clearing.cleared_in_the_last(run):
        event = clear.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the gradients are cleared in front of the last micro-batch of a window, so only that one counts",
            "clear them behind the step, or in front of `accumulate()`",
            scope=event.function,
            trail=(
                Step.of(entered.event, "inside, clearing waits for the last micro-batch"),
                Step.of(event, "what the others have added up is gone here"),
                Step.of(backward.event, "the last one adds its own"),
            ),
        )
    for clip, entered, backward in clearing.clipped_within(run):
        event = clip.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "clips an incomplete gradient in every micro-batch: the optimizer waits for the last one of the window",
            "clip where the window ends: `if accelerator.sync_gradients:`",
            scope=event.function,
            trail=(
                Step.of(entered.event, "inside, the optimizer waits for the last micro-batch"),
                Step.of(backward.event, "each micro-batch adds its own gradient"),
                Step.of(event, "in every turn"),
            ),
        )
    for clear, window in clearing.cleared_where_it_steps(run):
        yield told(
            run,
            clear.event,
            window,
            "the gradients are cleared in front of the last micro-batch of a window, so only that one counts",
            "clear them behind the step",
            "in the turns that step, and in front of their backward pass",
        )
    for tail in tails.cut_short(run):
        yield cut_short(run, tail)
    for met, step in loss_scale.never_accumulated(run):
        event = met.event
        made = event.subject
        yield RULE.finding(
            run.span(event.path, event.at),
            "the loss is divided by `gradient_accumulation_steps`, but the optimizer steps after every batch",
            "put the turn under `with accelerator.accumulate(model):`",
            scope=event.function,
            trail=(
                Step(made.path, (made.at or event.at)[0], "made with `gradient_accumulation_steps`"),
                Step.of(step.event, "every batch is a step of its own: nothing accumulates"),
            ),
        )
    for met in loss_scale.divided_again(run):
        event = met.event
        made, by = event.subject, "`" + ".".join(event.api.split(".")[-2:]) + "()`"
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the loss is divided by the number of micro-batches, and {by} divides it again",
            f"hand the mean loss of the micro-batch to {by} as it is",
            scope=event.function,
            trail=(
                Step(made.path, (made.at or event.at)[0], "made with the same number of micro-batches"),
                Step.of(event, "divided before, and once more inside"),
            ),
        )


def cut_short(run: Run, tail: tails.Tail) -> Finding:
    decision, step, cleared = tail.asked.decision, tail.window.step.event, tail.cleared
    fate = (
        f"are thrown away by the clearing in line {cleared.event.at[0]}"
        if cleared is not None
        else "are left for the first window of the next"
    )
    last = Step.of(cleared.event, "clears what is left") if cleared is not None else None
    return RULE.finding(
        run.span(decision.path, decision.at),
        f"an epoch that ends within a window does not step: the gradients of its last micro-batches {fate}",
        "step in the last turn as well, `or turn + 1 == len(loader)`, or walk over whole windows only",
        scope=decision.function,
        trail=(
            Step.of(decision, "asks for the end of a window, and not for that of the epoch"),
            Step.of(step, "the optimizer steps once per window"),
            *((last,) if last is not None else ()),
        ),
    )


def told(run: Run, event: Any, window: Any, message: str, remedy: str, when: str = "in every turn") -> Finding:
    step = window.step.event
    return RULE.finding(
        run.span(event.path, event.at),
        message,
        remedy,
        scope=event.function,
        trail=(
            Step.of(event, when),
            Step.of(step, "the optimizer steps once per window"),
        ),
    )
