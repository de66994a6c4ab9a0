"""Does a program put into a data set what it has made itself? Then every rank has in it what it has put there."""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, called_names, every_node
from dtlint.machine.starts.run_before import CONSTRUCTORS
from dtlint.machine.values import Object, Value
from dtlint.timeline.samples.epochs_kept import methods_of

READS = ("__getitem__", "__iter__")
FILLS = frozenset({"append", "appendleft", "extend", "insert", "add", "update"})


def filled_as_it_runs(dataset: Value | None) -> bool:
    """What is read of it is filled by a method that its constructor does not call."""
    if not isinstance(dataset, Object) or isinstance(dataset.kind, str):
        return False
    methods: dict[str, ir.Function] = {}
    for one in methods_of(dataset):
        if isinstance(one.node, ir.Function):
            methods.setdefault(one.node.name, one.node)
    given = {
        name
        for read in READS
        if read in methods
        for node in every_node(methods[read].body)
        if (name := attribute_name(node))
    }
    first = called_from(methods, (*CONSTRUCTORS, *READS))
    later = (method for name, method in methods.items() if name not in first)
    return any(put_into(node) in given for method in later for node in every_node(method.body))


def put_into(node: ir.Node) -> str | None:
    """The attribute to which something is added: `self.kept.append(one)`, `self.kept += many`; not one that counts."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in FILLS:
        return attribute_name(node.func.value)
    counts = isinstance(node, ir.AugAssign) and isinstance(node.value, ir.Const)
    return attribute_name(node.target) if isinstance(node, ir.AugAssign) and not counts else None


def picked_by_chance(dataset: Value | None) -> bool:
    """`__getitem__` never looks at its index: whoever divides the indices divides nothing, and each process draws."""
    if not isinstance(dataset, Object) or isinstance(dataset.kind, str):
        return False
    read = next((one.node for one in methods_of(dataset) if one.node.name == READS[0]), None)
    if not isinstance(read, ir.Function) or len(read.params) != 2:
        return False
    return all(node.id != read.params[1].name for node in every_node(read.body) if isinstance(node, ir.Name))


def called_from(methods: dict[str, ir.Function], names: tuple[str, ...]) -> set[str]:
    """These methods, and those that they call."""
    found: set[str] = set()
    todo = [name for name in names if name in methods]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [one for one in called_names(methods[name].body) if one in methods]
    return found
