"""A process group that comes too late, is left alone, or cannot work.

What it finds
-------------
A collective, a wrapper or a question for the rank before `init_process_group`, or after the group was destroyed, or
in front of the question whether there is one (`get_rank() == 0 or not is_initialized()`); a
script that never destroys its group, or not where an option ends it early; the NCCL backend in a program of the CPU; an
option of a launcher that torchrun replaced, or a shell script that starts that launcher for a program without the
option.

Why it is bad
-------------
A collective without a group raises at once. A group that is left alone leaks its threads and shared memory, and ranks
that end early make the others report errors of NCCL. An option nobody passes keeps its default: every process works
as local rank 0.

Instead
-------
    dist.init_process_group("nccl")
    try:
        train()
    finally:
        dist.destroy_process_group()
    local_rank = int(os.environ["LOCAL_RANK"])

Limits
------
A group that any file of the project destroys is taken to be destroyed, unless it does so in a function that nothing
calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Step, lifecycle

RULE = Rule(
    code="DT516",
    slug="lifecycle",
    family="DT5",
    effect="crash",
    severity="warning",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a process group that comes too late, is left alone, or cannot work",
)


def check(run: Run) -> Iterator[Finding]:
    for met, start in lifecycle.too_early(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{event.api.rpartition('.')[2]}` comes before the process group exists (line {start.event.at[0]})",
            "initialise the process group first",
            severity="error",
            scope=event.function,
            trail=(Step.of(start.event, "the group is made only here"),),
        )
    for met in lifecycle.asked_behind(run):
        event = met.event
        name = event.api.rpartition(".")[2]
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{name}` fails where there is no process group, and only what follows in this condition asks for one",
            "ask `dist.is_initialized()` first",
            severity="error",
            scope=event.function,
            trail=(Step.of(event, "asked without a process group, this raises"),),
        )
    for met, end in lifecycle.too_late(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{event.api.rpartition('.')[2]}` comes after the process group was destroyed (line {end.event.at[0]})",
            "destroy the process group last",
            severity="error",
            scope=event.function,
            trail=(Step.of(end.event, "from here on there is no group"),),
        )
    for met in lifecycle.never_destroyed(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the process group is never destroyed",
            "call `dist.destroy_process_group()` at the end, on every rank",
            effect="waste",
            severity="warning",
            scope=event.function,
            trail=(*lifecycle.way_to(met), Step.of(event, "made here, and left alone")),
        )
    for met, choice in lifecycle.left_alone(run):
        decision = choice.decision
        yield RULE.finding(
            run.span(decision.path, decision.at),
            "one way through this branch ends the program and leaves the process group alone",
            "call `dist.destroy_process_group()` on this way out as well, or in a `finally` around both",
            effect="waste",
            severity="warning",
            scope=decision.function,
            trail=(*lifecycle.way_to(met), Step.of(met.event, "the group is made here")),
        )
    for met, device in lifecycle.on_cpu(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "NCCL needs a GPU per rank, and this program works on the CPU",
            'use `init_process_group("gloo")`',
            severity="error",
            scope=event.function,
            trail=(Step.of(device, "the only device is the CPU"),),
        )
    for met, variable in lifecycle.old_options(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"torchrun passes no such option: it sets `{variable}`, and the default is used on every rank",
            f'read `int(os.environ["{variable}"])`',
            scope=event.function,
            trail=(Step.of(event, "passed by torch.distributed.launch only"),),
        )


def check_launch(run: Any) -> Iterator[Finding]:
    for conflict in run.outdated():
        yield run.finding(RULE, conflict)
