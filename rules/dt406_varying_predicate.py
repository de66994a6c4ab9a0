"""A collective inside `cond`, `switch` or `while_loop` whose predicate differs between the devices.

What it finds
-------------
The predicate depends on `axis_index` or on this device's data, and the branches (or the body) make different
collectives over the axis it varies on. Branches that make the same collectives are fine.

Why it is bad
-------------
Some devices enter the collective, the others never come: the program hangs until the runtime gives up, or computes
garbage.

Instead
-------
    good = jax.lax.pmin(good.astype(jnp.int32), "batch") > 0      # one answer for all devices
    total = jax.lax.psum(x, "batch")                              # or outside of the branch
    result = jax.lax.cond(good, use, skip, total)

Limits
------
JAX's own check (`check_vma`) finds some of these; this rule also works where it is off, and under pmap.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT406",
    slug="varying-predicate",
    family="DT4",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="a collective inside traced control flow that differs between devices",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "varying predicate"):
        what, reduces = event.extra["what"], event.extra["reduces"]
        message = f"the predicate of `{what}` differs between the devices, and only some of them come to `{reduces}`"
        remedy = "reduce the predicate first (`jax.lax.pmin`/`pmax` over the axis), or move the collective out"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
