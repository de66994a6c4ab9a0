"""Has a rank made a model for itself, after it has parted from the others?

Two models that one unknown function makes of the same arguments look alike to the machine; the variables that they are
bound to tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Decision


def made_since(machine: Machine, call: Invocation, decision: Decision) -> bool:
    """`if rank != 0: return` … `judge = build(settings); judge.requires_grad_(False)`, in one function."""
    function, receiver = machine.frame.node, call.node.func if call.node is not None else None
    if not isinstance(function, ir.Function) or not isinstance(receiver, ir.Attr):
        return False
    if not isinstance(receiver.value, ir.Name) or decision.path != machine.frame.path:
        return False
    if decision.function != machine.frame.scope:
        return False
    lines = list(bound(function, receiver.value.id))
    return bool(lines) and min(lines) > decision.at[0]


def bound(function: ir.Function, name: str) -> Iterator[int]:
    """The lines that give this variable something."""
    if any(param.name == name for param in function.params):
        yield 0
    for node in every_node(function.body):
        if isinstance(node, ir.Assign):
            names = (part for target in node.targets for part in every_node((target,)))
            if node.at and any(isinstance(part, ir.Name) and part.id == name for part in names):
                yield node.at[0]
