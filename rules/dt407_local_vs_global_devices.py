"""The devices of all hosts where this host's devices are meant, or the reverse.

What it finds
-------------
A batch reshaped to `jax.device_count()` that goes into `pmap` in a program of several hosts; `jax.process_index()`
folded into a key inside a mapped function where the device's own index is meant; a global quantity computed from
`local_device_count()`, or a sum over all devices divided by it; a mesh of `jax.local_devices()` for arrays that all
hosts put together, or one whose shape counts other devices than it is made of; data divided into as many parts as there
are devices, of all hosts or of one, of which each host takes the one that its `process_index()` says; and
`process_index() % local_device_count()`.

Why it is bad
-------------
It works on one host. On several the reshape fails, all devices of a host draw the same numbers, or the step count is
wrong.

Instead
-------
    batch = rows.reshape(jax.local_device_count(), -1, features)
    key = jax.random.fold_in(key, jax.lax.axis_index("batch"))
    global_batch = per_device * jax.device_count()

Limits
------
jit over a mesh of all devices is one global program: `device_count` is right there.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT407",
    slug="local-vs-global-devices",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="all hosts' devices where this host's are meant, or the reverse",
)


SHAPES = {
    "local": (
        "the mesh is made of the devices of all hosts, but its shape counts this host's devices",
        "count them with `jax.device_count()`",
    ),
    "world": (
        "the mesh is made of this host's devices, but its shape counts the devices of all hosts",
        "make the mesh of `jax.devices()`",
    ),
}


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "world axis"):
        message = "the axis counts the devices of all hosts, but pmap maps over this host's devices"
        remedy = "use `jax.local_device_count()` for what this host feeds to pmap"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "world devices"):
        message = "the devices of other hosts are among these, and nothing of this host can be put there"
        remedy = "give what this host feeds to `jax.local_devices()`"
        yield RULE.finding(*jax_place(run, event), message, remedy, effect="crash", trail=trail)
    for event, trail in jax_notes(run, "world share"):
        message = "what one host has is divided by the devices of all hosts, though it goes to this host's devices"
        remedy = "divide it by `jax.local_device_count()`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "device shares"):
        message = "the data are divided between the devices of all hosts, and each host takes one of them"
        remedy = "there is one part for each host: count them with `jax.process_count()`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "own device shares"):
        message = "there are as many parts as this host has devices, and each host takes one of them"
        remedy = "there is one part for each host: count them with `jax.process_count()`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "host by devices"):
        message = "the number of a host is divided by how many devices it has, which says nothing of which host it is"
        remedy = "ask `jax.process_index()` itself: hosts are counted by `jax.process_count()`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "host index"):
        message = "`jax.process_index()` is one number for all devices of a host: they draw the same numbers"
        remedy = "fold in the device's own index: `jax.lax.axis_index(axis)`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "divided by some"):
        message = "a sum over the devices of all hosts is divided by the number of this host's devices"
        yield RULE.finding(
            *jax_place(run, event), message, "use `jax.lax.pmean`, or divide by the axis size", trail=trail
        )
    for event, trail in jax_notes(run, "local in global"):
        message = f"`{event.extra['name']}` is computed from this host's devices only"
        yield RULE.finding(
            *jax_place(run, event), message, "use `jax.device_count()`, which counts all hosts", trail=trail
        )
    for event, trail in jax_notes(run, "mesh shape"):
        yield RULE.finding(*jax_place(run, event), *SHAPES[event.extra["counts"]], effect="crash", trail=trail)
    for event, trail in jax_notes(run, "mesh of one host"):
        message = (
            "the mesh has this host's devices only, so each host trains on its own part and never meets the others"
        )
        yield RULE.finding(*jax_place(run, event), message, "make the mesh of `jax.devices()`", trail=trail)
