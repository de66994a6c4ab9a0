"""Every rank opens a run in the experiment tracker, a log writer or a progress bar.

What it finds
-------------
`wandb.init`, `SummaryWriter`, `mlflow.start_run` or a progress bar is made by all ranks of a distributed program. Or
one rank opens the run, and all of them log to it (`wandb.log`).

Why it is bad
-------------
The tracker shows one run per rank, event files mix, progress bars overwrite each other; on a thousand ranks this loads
the tracker and the file system. `wandb.log` without a run is an error; `mlflow` opens another run.

Instead
-------
    run = wandb.init(project="regression") if rank == 0 else None
    for batch in tqdm(loader, disable=rank != 0):
        ...

Limits
------
Runs that are grouped on purpose (`group=`), or whose folder or name contains the rank, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import (
    Finding,
    Rule,
    Run,
    Span,
    Step,
    distributed_step,
    first_asked,
    many_loggers,
    others_asked,
    unopened,
    ways_down,
    who,
)

RULE = Rule(
    code="DT703",
    slug="all-ranks-log",
    family="DT7",
    effect="waste",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "lightning", "transformers"),
    title="every rank opens a tracker run, log writer or progress bar",
)


def check(run: Run) -> Iterator[Finding]:
    for event, path, lanes in many_loggers(run):
        name = ".".join(event.api.split(".")[-2:])
        bar = event.op == "progress"
        what = "a progress bar each" if bar else f"a run or writer each (`{name}`)"
        message = f"{who(run, lanes)} open {what}"
        remedy = (
            f"pass `disable={others_asked(run)}`"
            if bar
            else f"open it on one rank only (`if {first_asked(run)}:`), or give the ranks of one run a common group"
        )
        reached = Step.of(event, f"reached by {who(run, lanes)}")
        trail = (*distributed_step(run), *ways_down(event, path), reached)
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
    for event, path, lanes, opened in unopened(run):
        opening, first = opened.event, who(run, opened.lanes)
        message = f"{who(run, lanes)} log to a run that only {first} opened (`{opening.api}`)"
        made = Step.of(opening, f"opened by {first}")
        reached = Step.of(event, f"reached by {who(run, lanes)} as well")
        trail = (*distributed_step(run), made, *ways_down(event, path), reached)
        remedy = "log below the same question for the rank as it is opened"
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
