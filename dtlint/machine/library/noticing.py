"""What do libraries take note of that is no call: imports, writes, values asked, compared, chosen or thrown away?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library import foreign
from dtlint.machine.library.drawing import seeded_by_imports
from dtlint.machine.library.feeding import workers
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import hosts as jax_hosts
from dtlint.machine.library.jax import left_over
from dtlint.machine.library.jax import outputs as jax_outputs
from dtlint.machine.library.meeting import children, managers
from dtlint.machine.library.python import environment_use, files, log_filters, run_later, thrown_away, uncalled
from dtlint.machine.library.training import group_options, parts, steered, stepping
from dtlint.machine.values import External, Row, Value

__all__ = [
    "answered",
    "asked",
    "called_beside",
    "chosen",
    "compared",
    "leaves",
    "looked_for",
    "meant",
    "placed",
    "seeds_left",
    "set_aside",
    "take_back",
    "turn_ends",
    "withheld",
]


def imported(machine: Machine, dotted: str, mask: int) -> None:
    """A library or a module of the project was imported: some facts depend on when."""
    resolved = machine.project.resolve(machine.frame.path, dotted, 0) or dotted
    path = machine.project.find_module(resolved)
    if path is not None:
        seeded_by_imports.imported(machine, path, mask)
    environment_use.imported(machine, resolved, path, mask)


seeds_left = seeded_by_imports.leave
set_aside, take_back = environment_use.set_aside, environment_use.take_back
looked_for = files.note_looked_for


def item_written(machine: Machine, container: Value, index: Value, value: Value, mask: int) -> None:
    """`container[index] = value`"""
    if isinstance(container, External) and container.name == environment_use.ENVIRONMENT:
        children.told_the_environment(machine, index, value)
    environment_use.item_written(machine, container, index, value, mask)
    stepping.item_written(machine, container, value)
    group_options.item_written(machine, container, index, mask)
    jax_outputs.put_back(machine, container, index, value)
    workers.item_written(machine, container, mask)


def attribute_of_each_written(machine: Machine, base: Row, name: str, mask: int) -> None:
    """`base.name = value`, where the ranks have another base each"""
    if name == "requires_grad" and mask == machine.world.full:
        parts.picked(machine, base)


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    """`base.name = value`"""
    stepping.attribute_written(machine, base, name, value, mask)
    group_options.attribute_written(machine, base, name, mask)
    parts.written(machine, base, name, value, mask)
    workers.attribute_written(machine, base, name, value, mask)
    run_later.hook_written(machine, base, name, value, mask)
    log_filters.attribute_written(machine, base, name, value, mask)
    steered.written(machine, base, name)


def discarded(machine: Machine, node: ir.Expr, value: Value, mask: int) -> None:
    """An expression stands alone: its value is thrown away."""
    thrown_away.discarded(machine, node, value, mask)
    foreign.discarded(machine, node)
    if "answered" in machine.facts:
        managers.discarded(machine, node, value, mask)


def circumstances(machine: Machine, arguments: tuple[Value, ...], keywords: Keywords) -> Any:
    """What a call's result depends on besides the identity of its arguments, where facts flow with values."""
    return jax_hosts.circumstances(machine, arguments, keywords)


leaves = jax_facts.leaves
turn_ends = left_over.turn_ends


compared, asked, chosen, answered = uncalled.compared, uncalled.asked, uncalled.chosen, uncalled.answered
meant = uncalled.meant
called_beside = uncalled.called_beside
placed, withheld = uncalled.placed, uncalled.withheld
