"""Where was a function given a place to be asked for later, when its answer was meant? `Writer(path, on=is_main)`"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.names.frames import Frame

Site = tuple[str, tuple[int, int, int, int], str]  # file, place, function around it


def only_place(machine: Machine, name: str) -> Site | None:
    """Where its name is handed over or kept, in the files of those who are at work now; None where it is not known:
    the name stands where it is asked for, or is handed over in several places."""
    frame = machine.frame
    if name in getattr(frame.node, "tokens", ()):
        return None
    paths: dict[str, None] = {}
    above: Frame | None = frame
    while above is not None:
        paths[above.path] = None
        above = above.caller
    found = [site for path in paths for site in places(machine.project.module(path), path, name)]
    return found[0] if len(found) == 1 else None


def places(module: ir.Module, path: str, name: str) -> list[Site]:
    if name not in module.tokens:
        return []
    found: list[Site] = []
    around: list[ir.Function] = []
    for node in every_node(module.body):
        if isinstance(node, ir.Function):
            around.append(node)
        elif any(named(part) == name for part in handed(node)):
            inner = [one for one in around if one.at[0] <= node.at[0] and node.at[2] <= one.at[2]]
            found.append((path, node.at, inner[-1].qualname if inner else "<module>"))
    return found


def handed(node: ir.Node) -> tuple[ir.Node | None, ...]:
    """What a call is given, or a name is set to."""
    if isinstance(node, ir.Call):
        return (*node.args, *(value for _, value in node.keywords))
    return (node.value,) if isinstance(node, ir.Assign | ir.AnnAssign) else ()


def named(part: ir.Node | None) -> str:
    if isinstance(part, ir.Name):
        return str(part.id)
    return str(part.name) if isinstance(part, ir.Attr) else ""
