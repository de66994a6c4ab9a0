"""Which collectives work in place on a tensor that was made for them and that nobody can read afterwards?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.feeding.own_rows import ALONG
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.stepping import JOINED
from dtlint.machine.names import attributes
from dtlint.machine.values import External, ModuleRef, Value

ONE = ("all_reduce", "reduce")
MADE_NEW = frozenset(tensors.FROM_VALUE) - {"torch.as_tensor"}


def performed(machine: Machine, call: Invocation, held: Value | None) -> None:
    """`dist.all_reduce(torch.tensor(total))`: what all ranks have together is lost, `total` is as it was. One$
    that holds the same everywhere is there to make the ranks meet."""
    gives_back = call.row.result != "none"
    if call.row.op not in ONE or not call.row.same or gives_back or held is None or held.cause is None:
        return
    given = call.expression(call.row.same[0])
    if given is not None and is_new(machine, given):
        machine.emit_event("record", "agreed-unseen", call.name, call.mask, extra={"call": call})


def is_new(machine: Machine, node: ir.Expr) -> bool:
    """Is it made on the spot, whatever it is made of?"""
    if isinstance(node, ir.BinOp):
        return True
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Name):
        maker = attributes.lookup(machine, node.func.id)
        return isinstance(maker, External) and makes_new(machine, maker.name)
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attr):
        return False
    name, owner = node.func.name, node.func.value
    library = attributes.lookup(machine, owner.id) if isinstance(owner, ir.Name) else None
    if isinstance(library, External | ModuleRef):
        return makes_new(machine, f"{library.name}.{name}")
    if name == "clone" or name in ALONG or copies(node):
        return True
    return name in tensors.ALIASES | tensors.COPIES and is_new(machine, owner)


def makes_new(machine: Machine, name: str) -> bool:
    row = machine.knowledge.api(name)
    return name in MADE_NEW or (row is not None and row.model == JOINED)


def copies(node: ir.Call) -> bool:
    """`gradient.to(torch.float32, copy=True)`"""
    return any(name == "copy" and isinstance(value, ir.Const) and value.value is True for name, value in node.keywords)
