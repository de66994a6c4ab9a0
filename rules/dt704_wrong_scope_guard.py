"""A guard for one node around a place of all nodes, or the other way round.

What it finds
-------------
The first rank of every node writes a file that all nodes share; only rank 0 of the job writes what every node has for
itself; or something made under one guard is used under another.

Why it is bad
-------------
With a shared file system the nodes overwrite each other's file. With a node-local folder the other nodes find nothing.
Both work on one machine.

Instead
-------
    if rank == 0:                    # one writer for a shared place
        torch.save(state, shared / "model.pt")
    if local_rank == 0:              # one writer per node for /tmp
        unpack(archive, "/tmp/images")

Limits
------
Whether a place is node-local is told from its name (`/tmp`, `/dev/shm`, …).
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, acting, ways_down, who, wrong_scopes

RULE = Rule(
    code="DT704",
    slug="wrong-scope-guard",
    family="DT7",
    effect="race",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "lightning", "transformers"),
    title="the guard does not fit the place it protects",
)
REMEDY = {
    "shared": "guard with the global rank (rank 0 of the job), or write to a place that every node has for itself",
    "node": "guard with the local rank so that one rank of every node does it, or use a place that all nodes share",
    "missing": "put it below the question for the main process",
    "lacking": "use one and the same condition where it is made and where it is used, or set it to None on the others",
    "absent": "use one and the same condition where it is made and where it is used",
}


def check(run: Run) -> Iterator[Finding]:
    for found in wrong_scopes(run):
        event = found.event
        lanes = who(run, found.lanes)
        if found.kind == "shared":
            message = f"{lanes}, the first of each node, all write to this place"
        elif found.kind == "node":
            message = f"only {lanes} writes to this node-local place, but other nodes read there"
        elif found.kind == "missing":
            message = f"there is no such thing on {lanes}: the library makes it on the main process only"
        elif found.kind == "lacking":
            message = f"{acting(run, found.lanes, 'never get')} `{event.api}`: it is made on other ranks only"
        else:
            message = f"{acting(run, found.lanes, 'use')} what was made on other ranks only: here it is None"
        ways = ways_down(event, found.path) if found.path else ()
        trail = [*ways, Step.of(event, f"done by {lanes}")]
        if found.other is not None:
            trail.append(Step.of(found.other, found.told))
        path, at, scope = event.path, event.at, event.function
        guard = ""
        if found.decision is not None:
            path, at, scope = found.decision.path, found.decision.at, found.decision.function
            guard = found.decision.text
            trail.insert(0, Step(path, at[0], f"decides on `{guard}`"))
        yield RULE.finding(
            Span(path, *at), message, REMEDY[found.kind], scope=scope, guard_text=guard, trail=tuple(trail)
        )
