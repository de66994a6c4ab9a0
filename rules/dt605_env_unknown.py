"""An environment variable that nothing reads.

What it finds
-------------
The program, or the launch file that starts it, sets a variable or an XLA flag that no library reads: a name that never
existed, one that is misspelt, or one that was renamed. Torch still reads the old names of its NCCL settings, with a
warning.

Why it is bad
-------------
The setting that somebody relied on (a time-out, a memory limit, error handling) is simply not there, without a warning.

Instead
-------
    os.environ["XLA_FLAGS"] = "--xla_cpu_collective_call_terminate_timeout_seconds=600"

The message names what works.

Limits
------
Known are the variables of jax, XLA, torch.distributed and NCCL. A variable that the program or the launch file reads
itself is its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule, Run, Step, environment

RULE = Rule(
    code="DT605",
    slug="env-unknown",
    family="DT6",
    effect="wrong",
    severity="warning",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="an environment variable that nothing reads",
)


def check(run: Run) -> Iterator[Finding]:
    for write, name, instead, said in environment.unread_writes(run):
        event = write.met.event
        yield RULE.finding(
            run.span(event.path, write.at),
            f"`{name}` {said}",
            remedy(name, instead),
            scope=event.function,
            trail=(Step(event.path, write.at[0], f"`{name}` is set here"),),
        )


def check_launch(run: Any) -> Iterator[Finding]:
    for variable in run.variables():
        for name, instead, said in environment.unread_here(run.knowledge, run.pins, variable):
            yield run.finding(RULE, variable.conflict(f"`{name}` {said}", remedy(name, instead)))


def remedy(name: str, instead: str) -> str:
    return f"use {instead}" if instead else f"remove `{name}`, or look up the option that is meant"
