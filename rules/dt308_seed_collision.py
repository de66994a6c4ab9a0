"""Different ranks or workers end up with the same seed.

What it finds
-------------
`seed * rank` with a seed that may be 0, products of mesh coordinates that are equal for different ranks, and sums of
worker number and epoch (or rank) without a factor between them. Also a `worker_init_fn` that gives all workers of one
rank the same seed, and seeds made of the worker's number without the rank, so that all ranks have the same ones; and
the local rank in the seed of noise, in a program for several machines.

Why it is bad
-------------
Zero times anything is zero: with the default seed all ranks draw the same numbers. In sums, this epoch's worker 1
repeats what worker 0 does in the next.

Instead
-------
    torch.manual_seed((seed * world_size + rank) * workers + worker)
    rng = np.random.default_rng([seed, epoch, rank, worker])

Limits
------
Ranks that share a seed on purpose, such as those of one tensor-parallel group, are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, seed_collisions, span_at, worker_streams

RULE = Rule(
    code="DT308",
    slug="seed-collision",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "numpy", "jax"),
    title="different ranks or workers end up with the same seed",
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps, why in (*seed_collisions.collisions(run), *worker_streams.streams_of_every_rank(run)):
        yield RULE.finding(
            span_at(place),
            f"different ranks or workers get the same seed: {why}",
            "give each its own: `(seed * world_size + rank) * workers + worker`, or `default_rng([seed, epoch, "
            "rank, worker])`",
            scope=place[2],
            trail=steps,
        )
