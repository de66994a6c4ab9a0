"""Every rank writes, renames or deletes the same file.

What it finds
-------------
A file is written, appended to, renamed or deleted, a folder is made without `exist_ok` or an archive is unpacked by
several ranks at once, at one place. Also what ranks delete in turns: the first goes on and makes it again.
And the model that all ranks have alike, saved under a name with each rank's own score in it.

Why it is bad
-------------
The writes overwrite or interleave each other: a checkpoint that cannot be loaded, lines twice, or a rank that fails
because the file is there already or gone already.

Instead
-------
    if rank == 0:
        torch.save(model.module.state_dict(), path)
    dist.barrier()

or put the rank into the name when every rank has something of its own to save.

Limits
------
Checkpoint functions that all ranks have to call, and calls that write on one rank by themselves, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import (
    Finding,
    Rule,
    Run,
    Span,
    Step,
    distributed_step,
    first_asked,
    shared_writes,
    turns,
    ways_down,
    who,
)

RULE = Rule(
    code="DT702",
    slug="all-ranks-write",
    family="DT7",
    effect="race",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "lightning", "transformers"),
    title="several ranks write the same file",
)
SPOKEN = {
    "file-write": "write the same file",
    "file-delete": "delete the same file",
    "file-rename": "rename the same file",
    "download": "download to the same file",
    "unpack": "unpack to the same folder",
    "mkdir": "make the same folder without `exist_ok=True`",
}
REMEDY = {
    "mkdir": "pass `exist_ok=True`, or make the folder on one rank and let the others wait in a barrier",
}


def check(run: Run) -> Iterator[Finding]:
    for access, lanes in shared_writes(run):
        event = access.event
        message = f"{who(run, lanes)} {SPOKEN[access.kind]} at the same time"
        if access.scored:
            message = f"{who(run, lanes)} save the same model, each under a name with a score of its own in it"
        if turns(access):
            message = f"{who(run, lanes)} delete this one after the other: those behind delete what the first made anew"
        remedy = REMEDY.get(
            access.kind,
            f"do it on one rank (`if {first_asked(run)}:`) and let the others wait, or put the rank into the name",
        )
        reached = Step.of(event, f"reached by {who(run, lanes)}")
        trail = (*distributed_step(run), *ways_down(event, access.path), reached)
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
