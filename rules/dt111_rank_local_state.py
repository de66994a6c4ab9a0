"""State kept on some ranks only later guards a collective on all.

What it finds
-------------
A counter, timer or flag is updated under a rank guard and later decides, on every rank, whether a collective is made.

Why it is bad
-------------
The value is right on the rank that keeps it and stale on all others, so they decide differently.

Instead
-------
    self.steps += 1                      # on every rank
    if rank == 0:
        log(self.steps)
    if self.steps % 100 == 0:
        dist.barrier()

Limits
------
State that is written by one rank and then broadcast is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, short, told

RULE = Rule(
    code="DT111",
    slug="rank-local-state",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="state kept on some ranks only later guards a collective on all",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT111"):
        decision = divergence.decision
        text = decision.text if decision is not None else "this"
        message = f"`{text}` reads state that only some ranks update, and {short(divergence.event)} depends on it"
        remedy = "update the state on every rank, or broadcast it before it decides"
        yield told(RULE, run, divergence, tier, message, remedy)
