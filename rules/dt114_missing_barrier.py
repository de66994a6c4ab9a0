"""One rank writes, the others read at once.

What it finds
-------------
A file or folder that only some ranks write, download, unpack or delete is read by other ranks, and no barrier or other
meeting of the ranks lies between.

Why it is bad
-------------
The readers come too early: the file is missing, half written or from the last run. It works on one machine with a fast
disk and fails on the cluster.

Instead
-------
    if rank == 0:
        path.write_text(json.dumps(statistics))
    dist.barrier()
    statistics = json.loads(path.read_text())

Limits
------
Any collective of all ranks between the two counts as a barrier. Places that cannot be told to be the same are left
alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, distributed, races, who

RULE = Rule(
    code="DT114",
    slug="missing-barrier",
    family="DT1",
    effect="race",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "lightning", "transformers"),
    title="other ranks read what one rank has just written, without a barrier",
)
DONE = {
    "file-write": "written",
    "file-delete": "deleted",
    "file-rename": "renamed",
    "file-arrival": "put in place",
    "download": "downloaded",
    "unpack": "unpacked",
    "mkdir": "made",
}


def check(run: Run) -> Iterator[Finding]:
    if not distributed(run):
        return
    for write, read in races(run):
        writer = who(run, write.mask)
        late = who(run, read.mask & ~write.mask)
        done = DONE[write.kind]
        message = f"{late} may read this before it is {done} by {writer} (line {write.event.at[0]}): nobody waits"
        remedy = "call a barrier on all ranks between the two, or let the rank that writes broadcast the content"
        trail = (
            Step(write.event.path, write.event.at[0], f"{done} by {writer} only"),
            Step(read.event.path, read.event.at[0], f"and read by {late}, with no meeting of the ranks between"),
        )
        yield RULE.finding(
            Span(read.event.path, *read.event.at), message, remedy, scope=read.event.function, trail=trail
        )
