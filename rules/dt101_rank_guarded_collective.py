"""A collective that only some ranks reach.

What it finds
-------------
A call that every rank of a group has to make is reached by some ranks only, because a branch on the way to it depends
on the rank: in this function, through calls, through attributes, decorators or context managers, across files.

Why it is bad
-------------
The ranks that make the call wait for the others until the group times out; nothing else is printed. On a cluster all
GPUs stay allocated meanwhile.

Instead
-------
    if rank == 0:
        log(metrics)
    dist.barrier()              # outside the branch: every rank comes

Where only one rank has something to say, let the others take part and ignore the result.

Limits
------
Groups whose members are not known are assumed to fit their guard.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, does, missing, short, told, waiting

RULE = Rule(
    code="DT101",
    slug="rank-guarded-collective",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a collective that only some ranks reach",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT101"):
        waits = does(waiting(run, divergence), "waits", "wait")
        gone = does(missing(run, divergence), "never comes", "never come")
        decision = divergence.decision
        guard = f" because of `{decision.text}` in line {decision.at[0]}" if decision is not None else ""
        message = f"{waits} in {short(divergence.event)}, {gone}{guard}"
        remedy = (
            f"move {short(divergence.event)} out of the branch so that every rank makes it, and keep only the work of "
            "one rank (printing, writing) inside"
        )
        yield told(RULE, run, divergence, tier, message, remedy)
