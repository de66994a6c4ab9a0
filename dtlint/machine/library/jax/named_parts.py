"""Which axes of the mesh do the parameters of a module ask for? They are written where the module is made, with no mesh
in sight."""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.values import Value

MESHES = "jax meshes"  # fact of the run: the meshes that it makes
NAMED = "axes of a parameter"  # note: `with_partitioning(init, (None, "model"))`


def named(machine: Machine, call: Invocation) -> Value | None:
    given = call.get("sharding")
    items = containers.items_of(machine, given) if given is not None else None
    names = tuple(name for item in items or () for name in jax_axes.texts(item))
    if names and call.get("mesh") is None:
        jax_facts.note(machine, NAMED, call.mask, names=names)
    return None


def mesh_made(machine: Machine, made: Any) -> None:
    machine.facts.setdefault(MESHES, []).append(made)


MODELS: dict[str, Any] = {"flax_named_parts": named}
