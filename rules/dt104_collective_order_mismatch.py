"""Ranks make different calls at the same position.

What it finds
-------------
On one group, some ranks make another call than the others at the same position of the sequence: the two sides of a
branch call different collectives, or the same ones in another order. A loop makes one call for each item of a set of
texts, or of what was sorted by numbers of this rank: the items come in another order on each.

Why it is bad
-------------
NCCL matches calls by their number, not by name: the job hangs, or data of one call ends up in another.

Instead
-------
    dist.broadcast(config, src=0)      # one order for everybody
    dist.all_reduce(loss)

Limits
------
Orders across several groups are compared group by group.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, acting, diverging, own_orders, short, told

RULE = Rule(
    code="DT104",
    slug="collective-order-mismatch",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="ranks make different calls at the same position",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT104"):
        other = divergence.other
        across = (
            f"{acting(run, divergence.absent, 'make')} {short(other)}"
            if other is not None
            else "the others make another call"
        )
        if other is not None and short(other) == short(divergence.event):
            across += f" of line {other.at[0]}"
        message = f"{acting(run, divergence.here, 'make')} {short(divergence.event)} where {across}"
        remedy = (
            "give every rank the same sequence of calls; put what only one rank computes between them, not around them"
        )
        yield told(RULE, run, divergence, tier, message, remedy)
    for walked in own_orders(run):
        path, at, scope = walked.place
        event = walked.event
        yield RULE.finding(
            run.span(path, at),
            f"each rank comes to these in an order of its own ({walked.why}), and makes {short(event)} for one after "
            "the other",
            "sort them by something all ranks share, as their names are",
            scope=scope,
            trail=(
                walked.loop,
                Step.of(event, f"{short(event)} meets what another rank sends for another item"),
            ),
        )
