"""A folder or file name from the clock or a random draw of each rank, used as if it were shared.

What it finds
-------------
A name is made from `datetime.now()`, `time.time()`, `uuid` or `tempfile` on every rank, and then serves as a place the
ranks share: a run folder, a checkpoint all ranks write together, a file one rank writes and others read.

Why it is bad
-------------
The ranks read their clocks and draw at different moments: each has a folder of its own. Checkpoints are torn apart, or
the reader finds nothing; it works while all clocks show the same second.

Instead
-------
    names = [datetime.now().strftime("%Y%m%d-%H%M%S")]
    dist.broadcast_object_list(names, src=0)
    folder = Path("runs") / names[0]

Limits
------
Private scratch folders that no other rank looks into are fine.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, rank_local_names

RULE = Rule(
    code="DT705",
    slug="rank-local-name",
    family="DT7",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "lightning", "transformers"),
    title="a shared place is named by each rank for itself",
)


def check(run: Run) -> Iterator[Finding]:
    for access, source, told in rank_local_names(run):
        event = access.event
        kind = access.cause.kind if access.cause is not None else "clock"
        message = f"every rank makes this name from its own {kind}, {'so' if access.kind == 'mkdir' else 'but'} {told}"
        remedy = "make the name on one rank and broadcast it (`broadcast_object_list`), or take it from the arguments"
        steps = access.cause.steps() if access.cause is not None else ()
        trail = (*steps, Step.of(event, told))
        path, line = (source.path, source.line) if source is not None else (event.path, event.at[0])
        at = event.at if source is None else (line, 1, line, 1)
        yield RULE.finding(Span(path, *at), message, remedy, scope=event.function, trail=trail)
