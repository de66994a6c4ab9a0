"""A collective over an axis that nothing around it binds.

What it finds
-------------
`psum`, `pmean`, `all_gather`, `axis_index`, … over an axis name that no enclosing `pmap`, `shard_map` or named `vmap`
binds, followed from the call that starts the mapped or jitted function, across files.

Why it is bad
-------------
`NameError: unbound axis name` when the function is traced.

Instead
-------
    step = jax.pmap(train_step, axis_name="batch")     # the name the step reduces over

Limits
------
Functions that nobody calls in what is analysed are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT403",
    slug="axis-not-bound",
    family="DT4",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="a collective over an axis that nothing binds",
)


def check(run: Run) -> Iterator[Finding]:
    misspelt = {event.extra["name"] for event, _ in jax_notes(run, "mesh axis")}
    for event, trail in jax_notes(run, "unbound axis"):
        have = event.extra["have"]
        if event.extra["name"] in misspelt:
            continue  # told where the name is put into the spec (DT410)
        if run.entry.kind != "script" and not have:
            continue  # whoever calls the function may bind it
        around = (
            f"the functions around it bind {', '.join(map(repr, have))}" if have else "nothing around it binds a name"
        )
        message = f"nothing binds the axis {event.extra['name']!r}: {around}"
        remedy = f"map the function with `axis_name={event.extra['name']!r}`, or reduce over the name that is bound"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
