"""Every rank splits the data into training and validation for itself.

What it finds
-------------
`random_split`, `train_test_split` and the like on every rank, drawn from a generator that nobody seeded or that is
seeded by rank.

Why it is bad
-------------
What one rank holds out, another one trains on: the validation loss is measured on training data.

Instead
-------
    train, held_out = random_split(dataset, [0.9, 0.1], generator=torch.Generator().manual_seed(0))

Limits
------
A generator that a caller outside the program may have seeded is taken as seeded.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, seeding, span_at

RULE = Rule(
    code="DT208",
    slug="per-rank-split",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "sklearn", "datasets"),
    title="every rank splits the data into training and validation for itself",
)


def check(run: Run) -> Iterator[Finding]:
    for found in seeding.disagreements(run, RULE.code):
        message = (
            f"each rank draws another split ({found.why}), so held-out samples of one rank are trained on by others"
        )
        if found.what == seeding.PICKED:
            message = f"each rank keeps another part of the data ({found.why}), so all together see more than the part"
        yield RULE.finding(
            span_at(found.place),
            message,
            "give the split a fixed seed: `generator=torch.Generator().manual_seed(0)` in torch, `random_state=0` in "
            "scikit-learn, `seed=0` in datasets",
            scope=found.place[2],
            trail=found.steps,
            tier=found.tier,
        )
