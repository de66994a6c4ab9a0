"""Do the parameters of a module name axes that the mesh of the program has?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.jax.axes import mesh_axes
from dtlint.machine.library.jax.named_parts import MESHES, NAMED
from dtlint.machine.run import Run
from dtlint.timeline.arrays.jax_notes import noted

TRANSLATED = ("logical", "axis_rules", "sharding_rules")  # names of the model, which rules turn into those of a mesh


def unknown_parts(run: Run) -> Iterator[tuple[Any, tuple[Step, ...], str, tuple[str, ...]]]:
    """Where a parameter asks for an axis that no mesh of the program has; with the names of its only mesh."""
    meshes = run.facts.get(MESHES, ())
    known = {mesh_axes(mesh) for mesh in meshes}
    if len(known) != 1 or any(run.project.mentioning(word) for word in TRANSLATED):
        return
    axes = next(iter(known))
    if axes is None:
        return
    for event, trail in noted(run, NAMED):
        name = next((one for one in event.extra["names"] if one not in axes), None)
        if name is not None:
            first = meshes[0]
            told = Step.of(first, f"the mesh has {', '.join(map(repr, axes))}")
            yield event, (told, *trail), name, axes
