"""One PRNG key on all devices, hosts or rows for what must differ.

What it finds
-------------
Numbers drawn from a key that is the same on every device of a mapped axis (`in_axes=None`, `replicate(key)`, a `P()`
spec, a key closed over) meet data that differs between the devices: dropout masks, noise, augmentation. Also a key made
from one seed on every host that augments each host's own data, and one that `vmap` hands to every row of a batch.

Why it is bad
-------------
All devices drop the same units and add the same noise: the batch is less random than it looks, and nothing fails.

Instead
-------
    keys = jax.random.split(key, jax.local_device_count())      # and map it: in_axes=0
    key = jax.random.fold_in(key, jax.lax.axis_index("batch"))  # or fold inside the mapped function

Limits
------
Initial parameters are meant to be equal: keys whose numbers never meet data that differs are not reported. One jitted
program over global arrays is one logical program; a replicated key is right there. Members of a population, and the
rows of a row, may be meant to meet the same numbers: only rows that a file, a loader or NumPy gave are a batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, host_keys, jax_notes, jax_place

RULE = Rule(
    code="DT301",
    slug="shared-prng-key",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="one PRNG key for all devices or hosts where they must differ",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "shared key"):
        message = "one PRNG key for all devices: each draws the same numbers for its own part of the data"
        remedy = (
            "give every device its own key: map over `jax.random.split(key, jax.local_device_count())`, or fold in "
            "`jax.lax.axis_index(axis)` inside the mapped function"
        )
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "shared by rows"):
        message = "one PRNG key for all rows of the batch: each is given the same numbers"
        remedy = "give every row its own key: map over `jax.random.split(key, len(batch))` as well"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in host_keys(run):
        message = "every host makes the same PRNG key and draws the same numbers for its own data"
        remedy = "fold in the host: `key = jax.random.fold_in(key, jax.process_index())`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
