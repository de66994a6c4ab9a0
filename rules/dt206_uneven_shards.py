"""Shards of different length feed a loop that all ranks have to turn equally often.

What it finds
-------------
Data divided so that ranks get different counts (`items[rank::world]`, `index % world == rank`, a share rounded up), and
a training loop over them whose steps communicate.

Why it is bad
-------------
The rank with one sample more makes one step more. Its gradient reduction waits for ranks that have already left the
loop.

Instead
-------
    even = len(items) - len(items) % world
    mine = items[:even][rank::world]

or a DistributedSampler, which pads; or `with Join([model]):` around the loop.

Limits
------
Loops that end by a step count before the data does are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, span_at, told, uneven

RULE = Rule(
    code="DT206",
    slug="uneven-shards",
    family="DT2",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="shards of different length feed a loop that all ranks have to turn equally often",
)


MESSAGE = "ranks get different numbers of samples here, and the loop over them communicates in every turn"
REMEDY = (
    "cut the data to a multiple of the number of ranks first (`items[: len(items) - len(items) % world]`), or use a "
    "sampler that pads"
)


def check(run: Run) -> Iterator[Finding]:
    for place, steps in uneven.uneven_shards(run):
        yield RULE.finding(span_at(place), MESSAGE, REMEDY, scope=place[2], trail=steps)
    for divergence, tier in diverging(run, RULE.code):
        if divergence.shape == "local":  # of the others, the cuts are told above
            yield told(RULE, run, divergence, tier, MESSAGE, REMEDY)
