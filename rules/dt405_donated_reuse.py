"""A donated buffer that is used afterwards.

What it finds
-------------
An array is given to a function with `donate_argnums` and read later: in the same function, by a callback that kept it,
by a thread that nobody has waited for, or by the next call of a loop that does not bind the name anew.

Why it is bad
-------------
`RuntimeError: Array has been deleted`, often long after the call that took it over.

Instead
-------
    state = step(state, batch)      # bind the name anew with what the call returns
    kept = jnp.copy(params)         # a copy for whoever wants to keep it

Limits
------
Only arrays known to be JAX arrays are followed; NumPy arrays are copied on the way in.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, lent_buffers, reused_buffers, way

RULE = Rule(
    code="DT405",
    slug="donated-reuse",
    family="DT4",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="a donated buffer is used afterwards",
)


def check(run: Run) -> Iterator[Finding]:
    for again in reused_buffers(run):
        trail = way(again.second.path, again.second.event, "is used here")
        if again.first is not None and again.loop is not None:
            stays = way(again.second.path, again.second.event, "the turn ends, and the name still holds it")
            trail = (*way(again.first.path, again.first.event, "is donated here"), *stays)
            message = "the buffer is donated here, and on some way the next turn of the loop still uses it"
        elif again.first is not None:
            trail = (*way(again.first.path, again.first.event, "is donated here"), *trail)
            message = f"this buffer was donated in line {again.first.event.at[0]} and is deleted by then"
        else:
            message = "the buffer is donated in every turn of the loop, but never bound anew"
        remedy = "bind the name to what the donating call returns, keep a copy (`jnp.copy`), or do not donate"
        yield RULE.finding(again.site, message, remedy, scope=again.scope, trail=trail)
    for lent in lent_buffers(run):
        when = "the next turn" if lent.in_next_turn else f"line {lent.donor.event.at[0]}"
        message = f"the thread that is handed this buffer may read it after the call in {when} has taken it over"
        trail = (
            *way(lent.thread.path, lent.thread.event, "a thread gets to read it from here on"),
            *way(lent.donor.path, lent.donor.event, "is donated here; nobody has waited for the thread by then"),
        )
        remedy = "give the thread a copy on the host (`jax.device_get(params)`), or wait for it before the next step"
        yield RULE.finding(lent.site, message, remedy, scope=lent.scope, trail=trail)
