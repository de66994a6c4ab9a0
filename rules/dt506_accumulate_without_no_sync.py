"""Gradient accumulation that reduces in the wrong turns.

What it finds
-------------
Several backward passes add up before one optimizer step, and each of them reduces the gradients over all ranks; or
`no_sync()` is taken in the very turn whose gradients the optimizer uses.

Why it is bad
-------------
All reductions but the last are wasted network time. With the boundaries out of step the optimizer uses gradients of
this rank only, and the replicas drift apart.

Instead
-------
    boundary = (step + 1) % accumulate == 0
    with contextlib.nullcontext() if boundary else model.no_sync():
        (loss / accumulate).backward()
    if boundary:
        optimizer.step()

Limits
------
For FSDP the reduction can be worth its time, because gradients that are not reduced need more memory. Frameworks that
count by themselves are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, holding_back, no_sync

RULE = Rule(
    code="DT506",
    slug="accumulate-without-no-sync",
    family="DT5",
    effect="waste",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="gradient accumulation that reduces in the wrong turns",
)


def check(run: Run) -> Iterator[Finding]:
    for met, window in no_sync.unreduced_steps(run):
        event, step = met.event, window.step.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"the reduction is off in the turn whose gradients line {step.at[0]} uses: they stay on this rank",
            "let `no_sync()` and the optimizer step follow one and the same predicate",
            effect="wrong",
            severity="error",
            scope=event.function,
            trail=(
                Step.of(event, "the reduction is switched off in some turns"),
                Step.of(window.backward.event, "gradients of this turn stay on this rank"),
                Step.of(step, "the optimizer steps in such a turn"),
            ),
        )
    for window in no_sync.needless_syncs(run):
        event, step = window.backward.event, window.step.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"every micro-batch reduces its gradients, though line {step.at[0]} uses them once per window",
            f"enter `{holding_back(run)}` (FSDP2: `set_requires_gradient_sync(False)`) in all turns but the last "
            "of the window",
            scope=event.function,
            trail=(
                Step.of(event, "backward reduces over all ranks"),
                Step.of(step, "the optimizer steps once per window"),
            ),
        )
    for backward, forward, switch in (*no_sync.switched_too_late(run), *no_sync.counted_too_late(run)):
        attribute = "value" in switch.event.extra
        event, line = (switch if attribute else backward).event, forward.event.at[0]
        name = switch.event.api.rpartition(".")[2]
        what = "this" if attribute else f"`{name}()`"
        goes_by = "the turn before left" if attribute else "holds there"
        yield RULE.finding(
            run.span(event.path, event.at),
            f"{what} comes too late: in the forward pass (line {line}) DDP has decided whether to reduce",
            "set it before the forward pass"
            if attribute
            else f"let `with {holding_back(run) if name == 'no_sync' else 'accelerator.accumulate(model)'}:` "
            "hold the forward pass too",
            scope=event.function,
            trail=(
                Step(forward.event.path, line, f"DDP prepares for the backward pass by what {goes_by}"),
                Step.of(backward.event, "the backward pass goes by that"),
            ),
        )
