"""A PartitionSpec that names an axis its mesh does not have.

What it finds
-------------
`NamedSharding(mesh, P("batch"))`, or the specs of a `shard_map`, with a name that is not one of the mesh's axes; also
when mesh and specs are written in different files. A parameter made `with_partitioning` that asks for an axis which the
program's mesh does not have.

Why it is bad
-------------
`ValueError` as soon as the two meet.

Instead
-------
    mesh = Mesh(devices, ("data", "model"))
    sharding = NamedSharding(mesh, P("data", "model"))

Limits
------
Meshes whose axis names are computed are not judged, nor are the names of parameters that rules translate.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Event, Finding, Rule, Run, Step, jax_notes, jax_place, unknown_parts

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
        yield told(run, event, trail, event.extra["name"], event.extra["axes"])
    for event, trail, name, axes in unknown_parts(run):
        yield told(run, event, trail, name, axes)


def told(run: Run, event: Event, trail: tuple[Step, ...], name: str, axes: tuple[str, ...]) -> Finding:
    message = f"the mesh has no axis {name!r}; it has {', '.join(map(repr, axes))}"
    return RULE.finding(*jax_place(run, event), message, "use the axis names of the mesh", trail=trail)
