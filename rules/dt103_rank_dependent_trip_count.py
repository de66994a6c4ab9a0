"""A loop around a collective turns a different number of times on each rank.

What it finds
-------------
A loop whose number of turns differs by rank contains a collective, written out or hidden in the backward pass of a
wrapped model.

Why it is bad
-------------
The rank with more turns waits in the collective of a turn the others no longer make.

Instead
-------
    with model.join():                               # DDP: shadow the missing turns
        for batch in loader: ...

    n = torch.tensor([len(loader)], device=device)
    dist.all_reduce(n, op=dist.ReduceOp.MIN)         # agree on the number of turns
    for batch in itertools.islice(loader, int(n)): ...

Limits
------
Lengths are known to differ when they come from a slice by rank, a filter on local data or a rank-local list; lengths
nobody knows are assumed equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, short, told

RULE = Rule(
    code="DT103",
    slug="rank-dependent-trip-count",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a loop around a collective turns a different number of times on each rank",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT103"):
        decision = divergence.decision
        loop = f"`{decision.text}`" if decision is not None else "the loop"
        if decision is not None and decision.kind != "loop":
            loop = f"the loop that {loop} ends"
        message = (
            f"{loop} may turn a different number of times on each rank, and every turn enters {short(divergence.event)}"
        )
        remedy = (
            "agree on the number of turns first (all_reduce the count with MIN), pad the shards, or wrap the "
            "loop in `join()`"
        )
        yield told(RULE, run, divergence, tier, message, remedy)
