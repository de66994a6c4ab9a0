"""Is a program free to begin a process group, or does it begin one whatever it is told?

The log of a run has one side only of a branch that is decided in our small world, such as
`if "WORLD_SIZE" in os.environ`. So the question goes to what is written.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.logs import Call, Event, Place


def left_to_choose(run: Any, event: Event, path: Any) -> bool:
    """Does this stand below an `if`, or behind one that returns, in its function or in one that leads to it?"""
    calls = [(event.path, event.at), *((node.path, node.at) for node in path if isinstance(node, Call))]
    return any(below_a_branch(run.project.module(where), at, False) for where, at in calls)


def below_a_branch(node: Any, at: Place, below: bool) -> bool | None:
    """None where the place is not found here."""
    if getattr(node, "at", None) == at and isinstance(node, ir.Call):
        return below
    for slot in getattr(node, "below", ()):
        held = getattr(node, slot)
        inside = below or (isinstance(node, ir.If) and slot in ("body", "orelse") and not is_main(node.test))
        for inner in held if isinstance(held, tuple) else (held,):
            if isinstance(inner, ir.Node):
                found = below_a_branch(inner, at, inside)
                if found is not None:
                    return found
                inside = inside or (isinstance(inner, ir.If) and returns(inner))
    return None


def is_main(test: Any) -> bool:
    return isinstance(test, ir.Compare) and isinstance(test.left, ir.Name) and test.left.id == "__name__"


def returns(node: Any) -> bool:
    if isinstance(node, ir.Return):
        return True
    bodies = [getattr(node, slot) for slot in ("body", "orelse")] if isinstance(node, ir.If) else []
    return any(returns(inner) for body in bodies for inner in body)
