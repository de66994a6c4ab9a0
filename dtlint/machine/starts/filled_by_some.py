"""Which lists of an instance do its methods fill on some ranks only, `if rank == 0: self.samples.append(…)`?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, every_node
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.starts import run_before
from dtlint.machine.values import ClassRef, Object, Unknown, Value

WHO = ("is_main", "is_local_main", "rank", "local_rank")  # values of a row


def by_some(machine: Machine, owner: ClassRef, name: str, held: Value | None) -> Unknown | None:
    """What is in such a list, and whether anything is, differs by rank."""
    known = machine.notes.setdefault("filled by some", {})
    if id(owner.node) not in known:
        known[id(owner.node)] = parted(machine, owner)
    a_list = held is None or (isinstance(held, Object) and held.kind == "list")  # or made by another method
    if not a_list or name not in known[id(owner.node)]:
        return None
    cause = machine.cause("rank", f"`self.{name}` is filled on some ranks only")
    return machine.unknown("state", owner.name, name, cause=cause, tags=frozenset({containers.UNEVEN}))


def parted(machine: Machine, owner: ClassRef) -> set[str]:
    """Lists that are filled below a question for the rank, wherever they are."""
    anywhere: list[str] = []
    asked: list[str] = []
    for method in run_before.methods(owner):
        anywhere += filled(method.body)
        for node in every_node(method.body):
            if isinstance(node, ir.If) and asks_who(machine, node.test):
                asked += (*filled(node.body), *filled(node.orelse))
    return {name for name in asked if anywhere.count(name) <= asked.count(name)}


def filled(body: object) -> Iterator[str]:
    for node in every_node(body):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in ("append", "extend"):
            name = attribute_name(node.func.value)
            if name:
                yield name


def asks_who(machine: Machine, test: ir.Expr) -> bool:
    """`trainer.is_global_zero`, `dist.get_rank() == 0`"""
    for node in every_node((test,)):
        name = node.name if isinstance(node, ir.Attr) else node.id if isinstance(node, ir.Name) else ""
        row = machine.knowledge.members.get(name) or machine.knowledge.functions.get(name)
        if row is not None and row.value in WHO:
            return True
    return False
