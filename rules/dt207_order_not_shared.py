"""An order that may differ by rank decides who gets which sample.

What it finds
-------------
`os.listdir`, `glob`, a set of texts, a shuffle with an unseeded or rank-seeded generator, and then a part of it for
each rank; a sampler whose seed or epoch differs by rank. Also numbers that `enumerate` gives to the texts of a
set, where samples hold them.

Why it is bad
-------------
Each rank cuts its part out of another order: some samples are seen several times, others by nobody. Class 3 of one
rank is class 7 of another.

Instead
-------
    files = sorted(os.listdir(folder))
    random.Random(seed).shuffle(files)          # one seed for all ranks
    mine = files[rank::world_size]

Limits
------
Listings that are counted, searched or sorted later are not reported; a generator may have been seeded by a caller that
is not part of the program. One file system mostly gives its names in one order to all ranks that ask; nodes with copies
of their own do not. Where the ranks meet on one machine, listings are reported by the strict tier only.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, seeding, span_at

RULE = Rule(
    code="DT207",
    slug="order-not-shared",
    family="DT2",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "datasets", "jax"),
    title="an order that may differ by rank decides who gets which sample",
)


def check(run: Run) -> Iterator[Finding]:
    for found in seeding.disagreements(run, RULE.code):
        numbers = found.what == seeding.NUMBERS
        decides = (
            "samples of other ranks mean other texts by it" if numbers else "it decides which rank gets which sample"
        )
        yield RULE.finding(
            span_at(found.place),
            f"{found.what} may differ by rank ({found.why}), and {decides}",
            "make the order the same everywhere: sort the names, or shuffle with one fixed seed on all ranks",
            scope=found.place[2],
            trail=found.steps,
            tier=found.tier,
        )
