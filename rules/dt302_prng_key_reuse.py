"""A PRNG key that is consumed twice.

What it finds
-------------
A key is drawn from or split, and then drawn from or split again: in a row, in every turn of a loop, comprehension,
`scan` or `tree.map`, through helpers and files; or a turn draws from the key that it hands on, and the next turn splits
it; or a step draws from the key of its train state, which the next state still has. `fold_in` with other data gives
another key and does not count.

Why it is bad
-------------
The same key gives the same numbers. What should be independent (weights and biases, steps of a rollout, noise of two
leaves) is equal or correlated, and nothing fails.

Instead
-------
    key, sub = jax.random.split(key)     # before every use; keep `key`, spend `sub`

A key that one function uses again and again is told once; the other places stand in the trail.

Limits
------
Which library calls consume a key is knowledge; a key handed to something unknown is assumed to be left alone. One
function of the program that takes something to work on and then a key, hands that on by a split or to a model, and is
called twice with it mostly measures two things by the same numbers: this is reported by the strict tier only.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import (
    Finding,
    Rule,
    Run,
    Step,
    compares,
    jax_place,
    kept_keys,
    only_looked_at,
    reused_keys,
    short,
    told_once,
    way,
    written_keys,
)

RULE = Rule(
    code="DT302",
    slug="prng-key-reuse",
    family="DT3",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="a PRNG key used again after it was consumed",
)


def check(run: Run) -> Iterator[Finding]:
    for again, others in told_once(reused_keys(run)):
        second = short(again.second.event)
        trail = way(again.second.path, again.second.event, f"{second} uses the key")
        if again.first is not None and again.loop is not None:
            draws = short(again.first.event)
            trail = (*way(again.first.path, again.first.event, f"{draws} uses up the key"), *trail)
            message = f"{draws} uses up a key that is handed to the next turn of the loop, and {second} uses it there"
        elif again.first is not None:
            first = way(again.first.path, again.first.event, f"{short(again.first.event)} uses up the key")
            trail = (*first, *trail)
            event = again.first.event
            place = f"line {event.at[0]}" if event.path == again.site.path else f"`{event.function}`"
            message = f"{second} uses a key that {short(event)} in {place} has used up"
        else:
            message = f"{second} uses the same key in every turn of the loop"
        trail += tuple(Step(place.path, place.line, "and it is used here as well") for place in others)
        remedy = "split before every use: `key, sub = jax.random.split(key)`, and hand on `sub`"
        tier = "strict" if compares(run, again) or only_looked_at(run, again) else "default"
        yield RULE.finding(again.site, message, remedy, scope=again.scope, trail=trail, tier=tier)
    for event, trail in written_keys(run):
        message = "every step makes this key of the same number, and drops the same units"
        remedy = "hand the step another key each time, or fold in its number: `jax.random.fold_in(key, state.step)`"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in kept_keys(run):
        message = "every step draws from the key of the state, and hands on the same key with the next state"
        remedy = "fold in the number of the step, `jax.random.fold_in(state.key, state.step)`, or put a new key in"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
