"""A decision taken from what only this rank sees guards a collective.

What it finds
-------------
A branch in front of a collective depends on something that every rank sees differently: its own loss, the clock, free
memory or disk space, a signal, the host name, a random draw, a caught exception; or on a number that the ranks go on
to merge, whoever has handed it over: were it the same for all, there would be nothing to merge.

Why it is bad
-------------
Sooner or later one rank decides differently; it skips (or enters) a collective alone.

Instead
-------
    stop = torch.tensor([float(time.time() > deadline)], device=device)
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    if stop.item():
        save(); break

Limits
------
Decisions on files are reported with `--strict` only, because most clusters share the file system, unless the path is
visibly one of this node (`/tmp`, `/dev/shm`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, short, told

RULE = Rule(
    code="DT110",
    slug="local-decision",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a decision taken from what only this rank sees guards a collective",
)

SEEN = {
    "data": "this rank's data",
    "clock": "its clock",
    "files": "its view of the file system",
    "local files": "the files of its own node",
    "memory": "its free memory or disk",
    "random": "a random draw of its own",
    "host": "its host",
    "signal": "a signal it got",
    "queue": "its own queue",
    "process": "its process",
    "merged": "a number of its own, as the ranks merge it",
    "rank": "numbers drawn with a seed of its own",
    "local rank": "numbers drawn with a seed of its own",
}


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT110"):
        decision = divergence.decision
        kind = divergence.cause.kind if divergence.cause is not None else "local state"
        text = decision.text if decision is not None else "this"
        seen = SEEN.get(kind, kind)
        call = short(divergence.event)
        message = f"`{text}` is decided by each rank for itself ({seen}), and {call} depends on it"
        remedy = "all_reduce or broadcast the value first, then decide on the agreed one on every rank"
        yield told(RULE, run, divergence, tier, message, remedy)
