"""The last partial batch makes ranks or devices uneven.

What it finds
-------------
A loader without `drop_last=True` whose batches are reshaped to the devices (`pmap`, flax `shard`), copied into a buffer
of the batch size (CUDA graphs) or given to a training step that is compiled for their shape, by XLA or by
`torch.compile(…, dynamic=False)`. Also one whose data set has another length on each rank, so that one more, partial,
batch comes on some ranks only.

Why it is bad
-------------
The reshape raises when the last batch is not divisible by the number of devices. With rank-local data sets some ranks
make one step more than the others, and that step's collective waits for ever. The compiler stops to compile the whole
step once more.

Instead
-------
    loader = DataLoader(dataset, batch_size=32, shuffle=True, drop_last=True)

In evaluation, where no sample may get lost: pad the last batch and mask what was added.

Limits
------
A padding sampler (DistributedSampler, accelerate) makes ranks even by itself and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, span_at, uneven

RULE = Rule(
    code="DT202",
    slug="missing-drop-last",
    family="DT2",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "flax"),
    title="the last partial batch makes ranks or devices uneven",
)


TEXT = {
    "split": "the last batch may be smaller, and then it cannot be divided between the devices",
    "buffer": "the last batch may be smaller, and then it does not fit the buffer that was made for a whole one",
    "shape": "the last batch may be smaller, and then it does not have the shape that is asked for",
    "compiled": "the last batch may be smaller, and XLA compiles the step for it once more",
    "static": "the last batch may be smaller, and the model is compiled for it once more",
    "uneven": "ranks have data of different lengths, and the last partial batch is one step more on some of them",
}
EFFECTS = {"uneven": "hang", "compiled": "waste", "static": "waste"}


def check(run: Run) -> Iterator[Finding]:
    for place, steps, kind in uneven.partial_batches(run):
        yield RULE.finding(
            span_at(place),
            TEXT[kind],
            "pass `drop_last=True`, or `drop_remainder=True` (in evaluation: pad the last batch and mask the padding)",
            effect=EFFECTS.get(kind, "crash"),
            scope=place[2],
            trail=steps,
        )
