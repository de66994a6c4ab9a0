"""One rank writes, the others read at once.

What it finds
-------------
A file or folder that only some ranks write, download, unpack or delete is read by other ranks, and no barrier or other
meeting of the ranks lies between; or one rank goes through the parts that each of them writes. Also the reverse: ranks
that still read what another one deletes, fill a folder that another one makes or removes, or ask whether a file is
there while another one makes it, and go different ways by the answer.

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

from dtlint.api import Finding, Rule, Run, Span, Step, distributed, races, ways_apart, who

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

MESSAGES = {
    "read": "{late} may read this before it is {done} by {writer} (line {line}): nobody waits",
    "gathered": "{late} may read this before it is {done} by the others (line {line}): nobody waits",
    "entered": "{late} may write into this folder before it is {done} by {writer} (line {line}): nobody waits",
    "filled": "{late} may fill this before it is {done} by {writer} (line {line}): nobody waits",
    "taken": "{late} may still read this when it is {done} by {writer} (line {line}): nobody waits",
    "asked": "{late} may ask only after it is {done} by {writer} (line {line}), and then part from the others",
}
TOLD = {
    "read": "and read by {late}, with no meeting of the ranks between",
    "gathered": "and the parts of all read by {late}, with no meeting of the ranks between",
    "entered": "and written into by {late}, with no meeting of the ranks between",
    "filled": "and filled by {late}, with no meeting of the ranks between",
    "taken": "read by {late}, with no meeting of the ranks behind it",
    "asked": "asked by {late}, with no meeting of the ranks behind it",
}


def check(run: Run) -> Iterator[Finding]:
    if not distributed(run):
        return
    for race in races(run):
        change, other = race.change, race.other
        first, second = (other, change) if race.kind in ("asked", "taken") else (change, other)
        writer = who(run, change.mask)
        late = who(run, other.mask & ~change.mask or other.mask)
        done = DONE[change.kind]
        message = MESSAGES[race.kind].format(late=late, done=done, writer=writer, line=change.event.at[0])
        remedy = "call a barrier on all ranks between the two, or let the rank that writes broadcast the content"
        if race.kind == "asked":
            remedy = "let one rank ask and broadcast its answer, or call a barrier before the file is made"
        alone = f"{done} by {writer} only" if race.kind != "gathered" else f"{done} by every rank for itself"
        told = {change.order: alone, other.order: TOLD[race.kind].format(late=late)}
        trail = tuple(
            step
            for one, two in ((first, second), (second, first))
            for step in (*ways_apart(one, two), Step.of(one.event, told[one.order]))
        )
        event = other.event
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
