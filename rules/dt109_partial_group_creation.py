"""A group or wrapped model is made by some ranks only.

What it finds
-------------
`new_group`, a device mesh, `init_process_group` or a model wrapper is reached by some ranks only. Making a group is a
collective over all ranks, members or not.

Why it is bad
-------------
The ranks that make the group wait for the rest; or groups get different names on different ranks and later calls meet
the wrong peers.

Instead
-------
    groups = [dist.new_group(ranks) for ranks in layout]     # on every rank, in the same order
    mine = next(g for g, ranks in zip(groups, layout) if rank in ranks)

Limits
------
`new_group(..., use_local_synchronization=True)` needs its members only and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, does, missing, short, told

RULE = Rule(
    code="DT109",
    slug="partial-group-creation",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a group or wrapped model is made by some ranks only",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT109"):
        call = short(divergence.event)
        message = (
            f"{call} must be called by every rank, but {does(missing(run, divergence), 'never comes', 'never come')}"
        )
        remedy = "make the group or wrapper on all ranks in the same order, and use it on its members only"
        if divergence.shape == "argument":
            message = f"{call} is given another list on every rank; all ranks must ask for the same groups in one order"
            remedy = "make every group on every rank, in one loop over all lists, and keep the one this rank is in"
        yield told(RULE, run, divergence, tier, message, remedy)
