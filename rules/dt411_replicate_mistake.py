"""A state that is replicated twice, not at all, or saved with its device axis.

What it finds
-------------
`replicate` of what is replicated, or of what comes back as it was where no checkpoint is found; `unreplicate` of what
one device has; a restored state that goes into `pmap` without `replicate`, or restored parameters put into a
replicated one; a replicated state written to a checkpoint, or weights of all devices given to a model that no device
runs for itself.

Why it is bad
-------------
The shapes get one axis too many or too few: the next call fails, or a checkpoint that no other number of devices can
load.

Instead
-------
    state = restore_checkpoint(path, target=state)
    state = jax_utils.replicate(state)
    save_checkpoint(path, jax_utils.unreplicate(state), step)

Limits
------
States that come from something unknown are assumed to be right.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import (
    Finding,
    Rule,
    Run,
    jax_notes,
    jax_place,
    replicated_where_nothing_is_saved,
    saved_copies,
    written_with_copies,
)

RULE = Rule(
    code="DT411",
    slug="replicate-mistake",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="replicated twice, not at all, or saved with the device axis",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "replicated twice"):
        message = "this is replicated already: every array gets a second axis of devices"
        yield RULE.finding(*jax_place(run, event), message, "replicate once", trail=trail, effect="crash")
    for event, trail in replicated_where_nothing_is_saved(run):
        message = "where there is no checkpoint yet the target comes back, and that is replicated already"
        remedy = "restore into the state of one device, then replicate it once"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail, effect="crash")
    for event, trail in jax_notes(run, "unreplicated twice"):
        message = "this is the copy of one device already: what is left is the first row of every array"
        yield RULE.finding(*jax_place(run, event), message, "unreplicate once", trail=trail)
    for event, trail in (*jax_notes(run, "restored"), *jax_notes(run, "restored as stored")):
        message = "the restored state goes into pmap without a copy for each device"
        remedy = "`state = jax_utils.replicate(state)` after restoring"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail, effect="crash")
    for event, trail in jax_notes(run, "restored over copies"):
        message = "the copy of one device is restored over those of all devices and goes into pmap as it is"
        yield RULE.finding(
            *jax_place(run, event), message, "restore first, then replicate", trail=trail, effect="crash"
        )
    for event, trail in (*jax_notes(run, "put in"), *jax_notes(run, "put in as stored")):
        message = f"what is put into the replicated state is {event.extra['text']}"
        remedy = "replicate it first, or replace it in the state before that is replicated"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail, effect="crash")
    for event, trail in jax_notes(run, "copies applied"):
        message = "the weights still have their axis of devices here, where no device runs the model for itself"
        remedy = "give it `jax_utils.unreplicate(params)`, or map over the devices"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail, effect="crash")
    for _event, trail, span in saved_copies(run):
        message = "the state is saved with its axis of devices: one copy for each of them"
        remedy = "save `jax_utils.unreplicate(state)`"
        yield RULE.finding(span, message, remedy, trail=trail)
    for event, trail in written_with_copies(run):
        message = "the state is written with its axis of devices: one copy for each of them"
        remedy = "write `jax_utils.unreplicate(state)`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
