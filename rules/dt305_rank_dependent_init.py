"""The first weights differ by rank and nothing makes them equal.

What it finds
-------------
A seed that depends on the rank before the model is made, in a program that neither wraps the model with something that
broadcasts its parameters (DDP, DeepSpeed, accelerate, FSDP with `sync_module_states`) nor broadcasts them itself:
hand-written gradient reduction, `fully_shard`.

Why it is bad
-------------
The ranks apply the same gradients to different weights. Every rank trains a model of its own; with sharded parameters
the shards of different models are put together.

Instead
-------
    torch.manual_seed(seed)             # the same on all ranks: weights
    model = build_model()
    torch.manual_seed(seed + rank)      # different from here on: noise, dropout

Limits
------
Programs that load weights are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, seeding, span_at

RULE = Rule(
    code="DT305",
    slug="rank-dependent-init",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="the first weights differ by rank and nothing makes them equal",
)


def check(run: Run) -> Iterator[Finding]:
    for found in seeding.disagreements(run, RULE.code):
        yield RULE.finding(
            span_at(found.place),
            f"{found.what} differ between the ranks ({found.why}), and nothing makes them equal",
            "seed alike on all ranks before the model is made, or broadcast its parameters from rank 0",
            scope=found.place[2],
            trail=found.steps,
        )
