"""Some ranks leave while others still have a collective ahead.

What it finds
-------------
A `return`, `break`, `continue`, `raise` or `sys.exit()` is taken by some ranks only, and a collective follows for the
ranks that stay.

Why it is bad
-------------
The ranks that stay wait for those that left until the group times out.

Instead
-------
    stop = torch.tensor([float(should_stop)], device=device)
    dist.broadcast(stop, src=0)          # or all_reduce(stop, op=MAX)
    if stop.item():
        return                           # all ranks leave together

Limits
------
A `raise` that any rank may come to by its own data is left alone: most launchers stop the job when one rank fails.
One that a single rank is asked to decide is told as a warning, like an exit with a status of failure: not all launchers
do, and some only after the timeout of the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, does, ends_the_job, short, spoken_exit, told, who

RULE = Rule(
    code="DT102",
    slug="rank-dependent-exit",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="some ranks leave while others still have a collective ahead",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT102"):
        decision = divergence.decision
        word = (decision.exit_word if decision is not None else "") or divergence.way_out
        word = spoken_exit(word) if word else "leave"
        gone, staying = who(run, divergence.absent), who(run, divergence.here)
        if divergence.shape == "local":
            gone, staying = "some ranks", "the others"
        message = f"`{word}` on {gone} only: {does(staying, 'waits', 'wait')} in {short(divergence.event)}"
        details = {}
        if ends_the_job(run, divergence):
            message += ", until the launcher or the timeout ends the job"
            details["severity"] = "warning"
        remedy = "decide on one rank, broadcast or all_reduce the decision, and let every rank take the same way out"
        yield told(RULE, run, divergence, tier, message, remedy, **details)
