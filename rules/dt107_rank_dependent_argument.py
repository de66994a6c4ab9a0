"""An argument that all ranks must agree on differs by rank.

What it finds
-------------
Root, source, reduce operation or group list of a collective depends on the rank (`broadcast(x, src=rank)`), or the
root is no member of the group that some ranks make the call on (`broadcast(x, src=0, group=my_half)`). So does the
size of what they bring, or a rank expects of the others as much as it sends to each of them.

Why it is bad
-------------
Every rank takes part in a different operation: a hang, or data from the wrong rank without any message.

Instead
-------
    dist.broadcast(x, src=0)         # one source for everybody; ranks are global ranks, also in sub-groups

Limits
------
Only arguments named in the knowledge packs are compared. Of shapes, only those are known that follow a differing size
or what a tensor holds (`x[x > 0]`, `bincount(labels)`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, names_own_place, short, told, who

RULE = Rule(
    code="DT107",
    slug="rank-dependent-argument",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="an argument that all ranks must agree on differs by rank",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT107"):
        if names_own_place(divergence.event, divergence.argument):
            continue  # DT705 tells where the name comes from
        message = f"`{divergence.argument}` of {short(divergence.event)} differs between the ranks that make the call"
        remedy = f"pass the same `{divergence.argument}` on every rank"
        if divergence.argument == "shape":
            remedy = "exchange the lengths first and pad to the longest, or gather objects instead"
        if divergence.absent:
            whose = who(run, divergence.absent)
            message = f"`{divergence.argument}` of {short(divergence.event)} is no member of the group of {whose}"
            remedy = f"`{divergence.argument}` counts ranks over the world: name the first rank of the own group"
        yield told(RULE, run, divergence, tier, message, remedy)
