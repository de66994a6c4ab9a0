"""The value of an array that is spread over several hosts.

What it finds
-------------
`jax.device_get`, `np.asarray`, `float()` of an array sharded over the hosts' devices; `process_allgather` of such an
array without `tiled=True`.

Why it is bad
-------------
`RuntimeError: array that spans non-addressable devices`: on one host it works.

Instead
-------
    values = multihost_utils.process_allgather(scores, tiled=True)
    scores = jax.jit(score, out_shardings=NamedSharding(mesh, P()))(batch)     # replicated: every host has it

Limits
------
Reported in programs that initialise several processes, for arrays whose sharding is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT409",
    slug="not-addressable",
    family="DT4",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="the whole of an array that lies on other hosts too",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "not addressable"):
        message = f"`{event.extra['what']}` asks for an array of which other hosts hold a part"
        remedy = "gather it with `multihost_utils.process_allgather(x, tiled=True)`, or compute it replicated"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "not tiled"):
        message = "`process_allgather` of a global array needs `tiled=True`"
        yield RULE.finding(*jax_place(run, event), message, "pass `tiled=True`", trail=trail)
