"""Axes, static or donated positions that do not fit the function or the call.

What it finds
-------------
`in_axes` with another number of entries than the call has arguments; `static_broadcasted_argnums` or `donate_argnums`
behind the last parameter (after `functools.partial` took some away); a batch that is mapped with `None`; a text that is
not static; donation that a keyword call loses.

Why it is bad
-------------
The first call fails; or every device computes the whole batch; or twice the memory is used.

Instead
-------
    step = jax.pmap(train_step, axis_name="batch", in_axes=(0, 0, None), donate_argnums=(0,))
    state = step(state, batch, rate)          # by position, one entry each

Limits
------
Reported where the signature, the call and the axes are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place, options_of

RULE = Rule(
    code="DT402",
    slug="in-axes-mismatch",
    family="DT4",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="in_axes, static or donated arguments that do not fit the call",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "axes"):
        remedy = "count the positional arguments that are left after `partial`, one entry of `in_axes` for each"
        if event.extra["effect"] == "wrong":
            remedy = "map the batch over axis 0; `None` is for what is the same on all devices"
        elif event.extra["effect"] == "waste":
            remedy = "give donated arguments by position"
        given = options_of(run, event.extra["place"], run.knowledge.axes)
        yield RULE.finding(
            *jax_place(run, event), event.extra["what"], remedy, trail=(*trail, *given), effect=event.extra["effect"]
        )
