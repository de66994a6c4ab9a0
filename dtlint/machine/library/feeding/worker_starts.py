"""Does what a loader's worker does first come to its copy of the data set, or stay away from it?

A `worker_init_fn` that seeds the global generators, or says how many threads there are, leaves alone what the data set
keeps. One that names an object, or calls somebody unknown, may change it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.feeding.inside import Inside
from dtlint.machine.names import attributes
from dtlint.machine.values import Const, External, FunctionRef, ModuleRef, Row, Tuple, Unknown, Value

INNOCENT = sys.stdlib_module_names | {"torch", "numpy"}  # packages that ask nobody for the worker's data set
DEEPEST = 4  # calls


def stays_away(machine: Machine, start: Value, made: Inside) -> bool:
    """`made`: what it does when it is run."""
    return not made.cut and not made.events("worker-info") and is_innocent(machine, start, DEEPEST)


def is_innocent(machine: Machine, value: Value, depth: int) -> bool:
    """Can nothing of the program be changed through this?"""
    if isinstance(value, Const | Unknown):
        return True
    if isinstance(value, Row | Tuple):
        return all(is_innocent(machine, one, depth) for one in (value.lanes if isinstance(value, Row) else value.items))
    if isinstance(value, External):
        return value.name.partition(".")[0] in INNOCENT
    if not isinstance(value, FunctionRef) or depth == 0:
        return False
    machine.consult(value)
    return all(is_innocent(machine, one, depth - 1) for one in used(machine, value))


def used(machine: Machine, function: FunctionRef) -> Iterator[Value]:
    """What a function has from outside: by its names, and of the program's modules what it takes of them."""
    yield from (value for _, value in function.defaults)
    seen: set[int] = set()
    for node in every_node(function.node.body):
        if isinstance(node, ir.Import):
            yield from (External(name) for name, _ in node.names)
        elif isinstance(node, ir.ImportFrom):
            yield External(node.module)
        elif isinstance(node, ir.Attr) and isinstance(node.value, ir.Name):
            module = named(function, node.value.id)
            if isinstance(module, ModuleRef):
                seen.add(id(node.value))
                yield attributes.read(machine, module, node.name, machine.world.full)
        elif isinstance(node, ir.Name) and id(node) not in seen:
            found = named(function, node.id)
            if found is not None and found is not function:
                yield found


def named(function: FunctionRef, name: str) -> Value | None:
    """What a name means around a function; nothing where it is its own."""
    return attributes.closed_over(function.closure, name)
