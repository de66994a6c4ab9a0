"""One seed on all ranks for what must differ between them.

What it finds
-------------
Noise, time steps, masks or actions drawn for this rank's batch or by this rank's policy in a data-parallel training
loop, from a generator that was seeded alike on all ranks.

Why it is bad
-------------
All ranks add the same noise to different samples, or sample the same actions in the same simulated world. The gradients
of many ranks carry little more than those of one.

Instead
-------
    torch.manual_seed(seed)              # weights: the same
    model = DDP(build_model())
    torch.manual_seed(seed + rank)       # noise: different

Limits
------
Dropout with the same seed is accepted practice and not reported, nor is data made up by the program itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, noise, span_at

RULE = Rule(
    code="DT304",
    slug="same-seed-all-ranks",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning"),
    title="one seed on all ranks for what must differ between them",
)


def check(run: Run) -> Iterator[Finding]:
    drawn = (noise.shared_noise, noise.noise_of_lessons, noise.shared_masks, noise.shared_worker_seeds)
    for place, steps in (found for ask in drawn for found in ask(run)):
        yield RULE.finding(
            span_at(place),
            "every rank gets the same seed here and then draws the same noise for different samples",
            "add the rank to the seed after the model is made: `torch.manual_seed(seed + rank)`",
            scope=place[2],
            trail=steps,
        )
    for place, steps in noise.shared_samples(run):
        yield RULE.finding(
            span_at(place),
            "every rank gets the same seed here, and its data set then makes the same samples on all of them",
            "add the rank to the seed of the generator that the samples are made of",
            scope=place[2],
            trail=steps,
        )
