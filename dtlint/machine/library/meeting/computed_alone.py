"""Do all ranks learn with what only one of them has worked out, while the others hold what was there before?

`weight = ones(3)`, and under `if rank == 0:` the true weights: without a broadcast every other rank goes on with ones.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, lowest
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import stepping
from dtlint.machine.logs import Site
from dtlint.machine.names import classes
from dtlint.machine.values import NONE, ClassRef, Const, FunctionRef, Object, Row, Unknown, Value

ALONE = "computed-alone"  # record: every rank computes with it
GIVES = ("__getitem__", "__getitems__", "__iter__")


def performed(machine: Machine, call: Invocation) -> None:
    """A loss, or an optimizer, is given it."""
    row = call.row
    if "loss" in row.extra or stepping.OPTIMIZER in machine.knowledge.ancestors(row.name):
        for value in call.values:
            note(machine, value, call.mask, row.name, none="loss" in row.extra)


def sampled(machine: Machine, dataset: Value, mask: int) -> None:
    """A data set of the program that a loader reads keeps it, to make its samples with."""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, ClassRef) or dataset.at is None:
        return
    for name in read_for_samples(machine, dataset.kind):
        held = dataset.attributes.get(name)
        if held is not None:
            note(machine, held, mask, dataset.kind.name, (dataset.path, dataset.at, machine.frame.scope))


def read_for_samples(machine: Machine, kind: ClassRef) -> list[str]:
    """The attributes that the methods which give the samples speak of."""
    methods = (classes.in_class(machine, kind, name) for name in GIVES)
    nodes = (node for method in methods if isinstance(method, FunctionRef) for node in every_node(method.node))
    return sorted({node.name for node in nodes if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name)})


def note(machine: Machine, value: Value, mask: int, api: str, place: Site | None = None, none: bool = False) -> None:
    if mask != machine.world.full or not isinstance(value, Row) or not known_to_the_first(value, mask, none):
        return
    at = {"path": place[0], "at": place[1]} if place is not None else {}
    others = mask & ~(1 << lowest(mask))
    machine.emit_event("record", ALONE, api, others, subject=value, **at)


def known_to_the_first(value: Row, mask: int, none: bool) -> bool:
    """Has the first rank computed it, and do the others all have the number or the tensor (or the None) it was
    before?"""
    if value.cause.kind != "rank":
        return False
    first, *others = (value.lanes[lane] for lane in lanes_in(mask))
    if not others or not isinstance(first, Unknown) or first.cause is not None:
        return False
    return all(other == others[0] for other in others) and ((none and others[0] == NONE) or is_first_value(others[0]))


def is_first_value(value: Value) -> bool:
    if isinstance(value, Object) and value.kind == tensors.KIND:
        content = value.attributes.get("content")
        if isinstance(content, Unknown):
            return content.symbol.key[0] == tensors.UNFILLED
        return content is not None and is_first_value(content)
    return isinstance(value, Const) and type(value.value) in (int, float) and value.scale is None
