"""A gradient norm of this rank's shards only.

What it finds
-------------
`torch.nn.utils.clip_grad_norm_` is called on the parameters of a model that FSDP1 shards, also where Fabric, Lightning
or accelerate make the wrapper, or a norm that was computed by hand from this rank's shards scales the gradients, or is
shown as that of the model.

Why it is bad
-------------
FSDP1 keeps a shard of each gradient. The plain function takes the norm of the shards of this rank: every rank clips
by another, too small norm, and the gradient changes its direction.

Instead
-------
    model.clip_grad_norm_(1.0)         # FSDP1: the method of the wrapper
    fabric.clip_gradients(model, optimizer, max_norm=1.0)

Limits
------
FSDP2 keeps DTensors, on which the plain function is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, stepping

RULE = Rule(
    code="DT517",
    slug="clip-sharded-gradients",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a gradient norm of this rank's shards only",
)


def check(run: Run) -> Iterator[Finding]:
    for met, wrap in stepping.sharded_clips(run):
        event = met.event
        row = wrap.event.extra["call"].row
        yield RULE.finding(
            run.span(event.path, event.at),
            "the norm is taken over this rank's shards only: the parameters belong to FSDP",
            f"call {row.extra.get('clips', '`model.clip_grad_norm_(max_norm)` of the FSDP wrapper')}",
            scope=event.function,
            trail=(
                Step.of(wrap.event, "FSDP keeps a shard of each gradient on each rank"),
                Step.of(event, "each rank clips by the norm of its own shards"),
            ),
        )
    for met in stepping.scaled_by_parts(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the gradients are scaled by a number that was computed from this rank's shards only",
            "sum the squares over the ranks (`dist.all_reduce`) before the root is taken",
            scope=event.function,
            trail=(Step.of(event, "each rank scales by another number"),),
        )
    for met in stepping.parts_shown(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "this was computed from this rank's shards of the gradients, but is told as if it were of all of them",
            "sum the squares over the ranks (`dist.all_reduce`) before the root is taken",
            scope=event.function,
            trail=(Step.of(event, "only the shards of one rank are in it"),),
        )
