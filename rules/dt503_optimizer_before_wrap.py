"""An optimizer built before the model's parameters are replaced.

What it finds
-------------
An optimizer is made from `model.parameters()`, and afterwards the model is wrapped by FSDP, `fully_shard` or an
`accelerator.prepare(model)` that shards; or it is made afterwards, from a list of parameters that is older.

Why it is bad
-------------
The wrapper replaces the parameters by shards. The optimizer keeps the old ones: `step()` changes tensors that no
forward pass reads, and the loss does not move.

Instead
-------
    model = fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)   # after the wrap

Limits
------
DDP keeps the parameters, so its order does not matter; FSDP with `use_orig_params=True` and frameworks that are given
the optimizer as well exchange them.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, lifecycle, stale_optimizers

RULE = Rule(
    code="DT503",
    slug="optimizer-before-wrap",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=(
        "torch",
        "accelerate",
    ),
    title="an optimizer built before the model's parameters are replaced",
)


REMEDIES = {
    "wrap": "build the optimizer after the model is wrapped, from the wrapped model's parameters",
    "engine": "hand the optimizer to the engine, `deepspeed.initialize(optimizer=…)`, and let `engine.step()` step it",
    "move": "build the optimizer after the model is moved",
}


def check(run: Run) -> Iterator[Finding]:
    for made, wrap, taken in stale_optimizers.stale(run):
        event = made.event
        sharded = wrap.event.op == "wrap"
        yield RULE.finding(
            run.span(event.path, event.at),
            f"this optimizer holds parameters that line {wrap.event.at[0]} replaces by "
            + ("sharded ones" if sharded else "copies on the device"),
            REMEDIES["engine" if sharded and wrap.event.extra.get("wrap") == "deepspeed" else wrap.event.op],
            scope=event.function,
            trail=(
                *lifecycle.way_to(taken),
                Step.of(taken.event, "the parameters are taken as they are now"),
                *lifecycle.way_to(wrap),
                Step.of(wrap.event, "the model's parameters are replaced here"),
            ),
        )
