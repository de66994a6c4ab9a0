"""What do functions put into a module that begins with nothing?

`_GROUP = None`, and `def begin(): global _GROUP; _GROUP = dist.new_group(…)`: whoever enters another function has
called that one before. Each such function is run once, as nobody is seen to call it: what it communicates is set aside,
and of what it writes only those things are kept that were not there before.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.names.scopes import load_module
from dtlint.machine.starts.set_up import DEPTH, Arguments, run_aside
from dtlint.machine.values import NONE, FunctionRef

MOST = 4  # functions of one module


def by_functions(machine: Machine, path: str, arguments: Arguments) -> None:
    """Run those that fill this module, and the modules that it imports."""
    saved = machine.sinks, machine.frame, machine.uses.reached, machine.deepest
    machine.uses.reached = set()
    machine.deepest = DEPTH
    try:
        for one in (path, *sorted(machine.project.imported(path) - {path})):
            fill(machine, one, arguments)
    finally:
        machine.sinks, machine.frame, machine.uses.reached, machine.deepest = saved


def fill(machine: Machine, path: str, arguments: Arguments) -> None:
    known: dict[str, tuple[ir.Function, ...]] = machine.notes.setdefault("fill modules", {})
    if path not in known:
        known[path] = tuple(makers_of(machine, path))
    makers = known[path]
    if not makers:
        return
    frame = load_module(machine, path)
    for function in makers[:MOST]:
        empty = {name for name in function.globals if frame.variables.get(name) == NONE}
        value = frame.variables.get(function.name)
        if empty and isinstance(value, FunctionRef) and value.node is function:
            run_aside(machine, value, None, arguments(machine, function, False), frame.variables, empty)


def makers_of(machine: Machine, path: str) -> Iterator[ir.Function]:
    """Functions that write to names of their module, and reach anything that the packs know. One that gives something
    back is called for that, and fills them where it is seen to be called."""
    outside = machine.project.tree(path)
    if outside is None or not any(map(begins_empty, outside.body)):
        return  # nothing to fill: what its functions say is nothing that this rests on
    module = machine.project.module(path)
    for one in module.body if module is not None else ():
        if isinstance(one, ir.Function) and one.globals and not one.is_generator:
            if not one.tokens.isdisjoint(machine.meaningful) and not gives(one):
                yield one


def begins_empty(statement: ir.Stmt) -> bool:
    """`_GROUP = None`, `_held: Accelerator | None = None`"""
    assigns = isinstance(statement, ir.Assign | ir.AnnAssign)
    return assigns and isinstance(statement.value, ir.Const) and statement.value.value is None


def gives(function: ir.Function) -> bool:
    nodes = every_node(function.body, (ir.Function, ir.Class))
    return any(isinstance(one, ir.Return) and one.value is not None for one in nodes)
