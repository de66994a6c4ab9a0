"""A collective that only a failing rank reaches.

What it finds
-------------
A collective in an `except` block, or in a `finally` or clean-up that a failing rank reaches while the others are still
in the calls of the body.

Why it is bad
-------------
An exception seldom strikes all ranks at once. The failing rank waits in the handler's collective, the others wait in
the body's: the job hangs and the error is never shown.

Instead
-------
    ok = torch.ones(1, device=device)
    try:
        batch = load(step)               # nothing collective in here
    except OSError:
        ok.zero_()
    dist.all_reduce(ok, op=dist.ReduceOp.MIN)
    if not ok.item():
        raise RuntimeError("a rank failed")

Limits
------
Handlers of exceptions that every rank raises together (ImportError and the like) are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, short, told

RULE = Rule(
    code="DT105",
    slug="collective-in-handler",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a collective that only a failing rank reaches",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT105"):
        name = short(divergence.event)
        message = f"{name} is reached by the rank that failed; the others are still in the body and do not come"
        remedy = (
            "let the failing rank raise, or agree on a flag by all_reduce outside the handler before anybody acts on it"
        )
        if divergence.attempt is not None and divergence.attempt.kind == "signal":
            message = f"{name} is reached by the rank that got the signal; the others are elsewhere and do not come"
            remedy = "let the handler set a flag only, and all_reduce the flag between steps before anybody acts on it"
        if divergence.attempt is not None and divergence.attempt.kind == "finaliser":
            message = f"{name} is reached when this rank collects its garbage, or fails; the others come another time"
            remedy = "let nobody wait in `__del__`: give the object a `close()` that all ranks call"
        yield told(RULE, run, divergence, tier, message, remedy)
