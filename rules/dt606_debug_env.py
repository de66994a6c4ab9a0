"""A debugging switch left on in training code.

What it finds
-------------
`CUDA_LAUNCH_BLOCKING=1` or `TORCH_DISTRIBUTED_DEBUG=DETAIL` is set in every run, not under a debugging option.

Why it is bad
-------------
The switch makes each kernel launch or each collective wait; the job is slower by a large factor on all GPUs.

Instead
-------
    if args.debug:
        os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

Limits
------
Of launch files, those are seen that set the switch in plain words, outside of branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Step, environment

RULE = Rule(
    code="DT606",
    slug="debug-env",
    family="DT6",
    effect="waste",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="a debugging switch left on in training code",
)


def check(run: Run) -> Iterator[Finding]:
    for write, row in environment.debugging(run):
        event = write.met.event
        yield RULE.finding(
            run.span(event.path, write.at),
            f"`{write.name}` is on in every run: {row.extra['costs']}",
            f"set `{write.name}` for debugging runs only",
            scope=event.function,
            trail=(Step(event.path, write.at[0], f"`{write.name}` is set here, whatever the options say"),),
        )


def check_launch(run: Any) -> Iterator[Finding]:
    for variable in run.variables():
        row = run.knowledge.settings.get(variable.name)
        if row is not None and row.extra.get("debug") == variable.given.value:
            message = f"`{variable.name}` is on in every run: {row.extra['costs']}"
            yield run.finding(RULE, variable.conflict(message, f"set `{variable.name}` for debugging runs only"))
