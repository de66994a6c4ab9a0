"""A PartitionSpec that names an axis its mesh does not have.

What it finds
-------------
`NamedSharding(mesh, P("batch"))`, or the specs of a `shard_map`, with a name that is not one of the mesh's axes; also
when mesh and specs are written in different files.

Why it is bad
-------------
`ValueError` as soon as the two meet.

Instead
-------
    mesh = Mesh(devices, ("data", "model"))
    sharding = NamedSharding(mesh, P("data", "model"))

Limits
------
Meshes whose axis names are computed are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, jax_notes, jax_place

RULE = Rule(
    code="DT410",
    slug="axis-not-in-mesh",
    family="DT4",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="a PartitionSpec names an axis the mesh does not have",
)


def check(run: Run) -> Iterator[Finding]:
    for event, trail in jax_notes(run, "mesh axis"):
        axes = ", ".join(map(repr, event.extra["axes"]))
        message = f"the mesh has no axis {event.extra['name']!r}; it has {axes}"
        yield RULE.finding(*jax_place(run, event), message, "use the axis names of the mesh", trail=trail)
