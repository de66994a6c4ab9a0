"""A number of keys that does not fit what they are mapped over.

What it finds
-------------
`jax.random.split(key, n)` where n counts samples, or the devices of all hosts, and the keys go into a `pmap` over this
host's devices; as many keys as devices for the samples of one device; `split(key, 1)` used as if it were one key; keys
taken apart into more or fewer names.

Why it is bad
-------------
The mapped call fails, on several hosts only; or some devices share keys without a message.

Instead
-------
    keys = jax.random.split(key, jax.local_device_count())
    (sub,) = jax.random.split(key, 1)

Limits
------
Reported where both numbers are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place, too_many_keys

RULE = Rule(
    code="DT303",
    slug="key-count",
    family="DT3",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="as many keys as something else than the mapped axis",
)
DEVICES = "split into one key for each device of this host: `jax.random.split(key, jax.local_device_count())`"


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "key count"):
        remedy = event.extra.get("remedy", DEVICES)
        yield RULE.finding(*jax_place(run, event), event.extra["what"], remedy, trail=trail)
    for event, trail, count in too_many_keys(run):
        what = f"{count} keys unless told otherwise, where the mapped axis has one entry for each device"
        yield RULE.finding(*jax_place(run, event), what, DEVICES, trail=trail)
    for event, trail in jax_notes(run, "batch of one"):
        message = "`split(key, 1)` gives an array of one key, which is used as a key"
        remedy = "take it out: `(sub,) = jax.random.split(key, 1)`, or `key, sub = jax.random.split(key)`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "taken apart"):
        remedy = f"split into as many keys as there are names: `jax.random.split(key, {event.extra['count']})`"
        yield RULE.finding(*jax_place(run, event), event.extra["what"], remedy, trail=trail)
