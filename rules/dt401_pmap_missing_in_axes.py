"""An argument of a pmapped function that has no axis of devices.

What it finds
-------------
`pmap` without `in_axes` maps every argument over its first axis. Reported where a call visibly gives a Python number,
one unsplit key, parameters straight from `init`, or a keyword argument that is meant for all devices.

Why it is bad
-------------
The call fails; or, if the first axis happens to be as long as there are devices, every device gets one row of it.

Instead
-------
    step = jax.pmap(train_step, axis_name="batch", in_axes=(0, 0, None))   # None: the same for all devices
    state = flax.jax_utils.replicate(state)                                # or a copy for each device

Limits
------
Arguments whose origin is not known are assumed to have the axis.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT401",
    slug="pmap-missing-in-axes",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="an argument without a device axis goes into pmap",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "no axes"):
        message = f"pmap maps every argument over its first axis, but {event.extra['what']}"
        if event.extra.get("keyword"):
            message = event.extra["what"]
        remedy = (
            "say which arguments are for all devices with `in_axes=(0, …, None)`, or give each device its own: "
            "`replicate(state)`, `jax.random.split(key, jax.local_device_count())`"
        )
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
