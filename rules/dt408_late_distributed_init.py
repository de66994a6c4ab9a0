"""`jax.distributed.initialize` after the backend has started.

What it finds
-------------
Something that starts the backend comes first: a device or process query, a key, an array of `jax.numpy`, here, in a
helper, or while a module is imported. Also a program that a launch file starts on several machines, that divides its
work by `jax.process_count()` and never initialises.

Why it is bad
-------------
New versions raise; older ones go on, and every host believes to be alone: each trains its own model.

Instead
-------
    def main():
        jax.distributed.initialize()      # first
        print(jax.device_count())

Limits
------
`jax.config.update`, dtypes and shapes do not start anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_place, late_starts, never_joined

RULE = Rule(
    code="DT408",
    slug="late-distributed-init",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="jax.distributed.initialize after the backend has started",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail, name in late_starts(run):
        message = f"`jax.distributed.initialize()` comes too late: `{name}` has started the backend"
        remedy = "initialise before anything else touches JAX, and make constants of modules with NumPy"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in never_joined(run):
        yield RULE.finding(
            *jax_place(run, event),
            "nothing calls `jax.distributed.initialize()`: every process takes itself for the only one, and shares out"
            " nothing",
            "call `jax.distributed.initialize()` at the start of the program",
            trail=trail,
        )
