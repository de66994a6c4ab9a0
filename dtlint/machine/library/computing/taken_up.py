"""Is what a rank has read from its own file a checkpoint, of which parts are given back by name further on?

`step = kept["step"]`, and later in the same function `loader.load_state_dict(kept["loader"])`: all ranks have written
theirs at one moment, and the step was the same for all of them.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.computing.provenance import OWN_FILES, without_own_data
from dtlint.machine.values import Symbol, Unknown, Value


def same_for_all(machine: Machine, node: ir.Index, base: Value, found: Value) -> Value:
    """The item of a checkpoint, without a word of whose file it was."""
    named = isinstance(node.index, ir.Const) and isinstance(node.index.value, str)
    if named and from_own_file(machine, base) and given_back(machine, root_of(node)):
        return without_own_data(found)
    return found


def from_own_file(machine: Machine, base: Value) -> bool:
    known = machine.facts.get(OWN_FILES)
    if not known or not isinstance(base, Unknown) or base.cause is None:
        return False
    symbol = base.symbol
    while symbol not in known and symbol.key[0] == "item" and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return symbol in known


def root_of(node: ir.Node) -> str:
    """The name that all of `kept["extra"]["step"]` is taken from."""
    while isinstance(node, ir.Index):
        node = node.value
    return node.id if isinstance(node, ir.Name) else ""


def given_back(machine: Machine, name: str) -> bool:
    """Does this function hand a part of what has the name to some `load_state_dict`?"""
    frame = machine.frame
    body = frame.node or machine.project.tree(frame.path).body
    return bool(name) and any(
        isinstance(call, ir.Call)
        and isinstance(call.func, ir.Attr)
        and call.func.name == "load_state_dict"
        and any(isinstance(argument, ir.Index) and root_of(argument) == name for argument in call.args)
        for call in every_node(body)
    )
