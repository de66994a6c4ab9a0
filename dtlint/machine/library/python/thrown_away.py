"""Whose answer is thrown away, although it is all that there is to it?"""

from __future__ import annotations

from typing import Any, TypeGuard

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.knowledge.rows import Api
from dtlint.machine.control.agreeing import AGREED, handed_as
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import parameters
from dtlint.machine.library.training.stepping import JOINED, attribute_of
from dtlint.machine.logs import Place
from dtlint.machine.names import attributes
from dtlint.machine.values import Bound, ClassRef, External, FunctionRef, ModuleRef, Object, Symbol, Unknown, Value

TRAIN_STATE = "flax.training.train_state.TrainState"


def performed(machine: Machine, call: Invocation) -> None:
    """Remember calls whose only effect is what they give back."""
    extra = call.row.extra
    if extra.get("pure") and not (extra.get("of_modules") and was_handed_in(machine, call)):
        wanted = call.expression(extra["pure"]) if isinstance(extra["pure"], str) else None
        machine.facts["pure call"] = (call.node, call.row, wanted)


def of_state(machine: Machine, call: Invocation, name: str) -> None:
    """`state.apply_gradients(grads=…)` of a train state that has gone through others' hands. It takes no gradients
    without that word: `optimizer.apply_gradients(pairs)` is of another library, and changes the variables."""
    row = machine.knowledge.method(TRAIN_STATE, name)
    if row is not None and row.extra.get("pure") and not call.arguments:
        machine.facts["pure call"] = (call.node, row, None)


def of_generator(machine: Machine, call: Invocation, name: str) -> None:
    """`rng.permutation(files)`: as the function of the module, it gives a copy back in another order."""
    row = machine.knowledge.api(f"numpy.random.{name}")
    if row is not None and row.extra.get("pure") and call.node is not None and call.node.args:
        machine.facts["pure call"] = (call.node, row, call.node.args[0])


def of_a_copy(machine: Machine, call: Invocation, shuffled: Value) -> None:
    """`random.shuffle(list(names))`: the list is made here and gone afterwards, and the names stay in their order."""
    given = call.node.args[0] if call.node is not None and call.node.args else None
    if isinstance(given, ir.Call) and isinstance(given.func, ir.Name):
        here = isinstance(attributes.lookup(machine, given.func.id), External)
    else:
        here = isinstance(given, ir.ListExpr | ir.Comp)
    if here and isinstance(shuffled, Object) and shuffled.kind == "list" and is_within(shuffled.at, machine.current_at):
        machine.emit_event("record", "shuffled-unseen", call.name, call.mask)


def is_within(inner: Place | None, outer: Place) -> bool:
    return inner is not None and outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def was_handed_in(machine: Machine, call: Invocation) -> bool:
    """`model.float()` of a parameter: one caller may hand in a tensor in the place of the module."""
    func = call.node.func if call.node is not None else None
    owner = func.value if isinstance(func, ir.Attr) else None
    params = getattr(machine.frame.node, "params", ())
    return isinstance(owner, ir.Name) and any(param.name == owner.id for param in params)


def discarded(machine: Machine, node: ir.Expr, value: Value, mask: int) -> None:
    if isinstance(node, ir.Call):
        known, found, wanted = machine.facts.get("pure call") or (None, None, None)
        row = found if known is node else on_tensor(machine, node, value)
        if row is None or is_tried(machine, node):
            return
        named = isinstance(row.extra["pure"], str)
        if is_asked_later(machine, node, wanted) if named else is_held(machine, node):
            machine.emit_event("record", "discarded", row.name, mask, extra={"row": row})
    elif isinstance(node, ir.Attr | ir.Name):
        name = called_name(value)
        row = (machine.knowledge.api(name) or machine.knowledge.method(*name.rpartition(".")[::2])) if name else None
        if row is not None and row.does != "value" and (row.record or row.op):
            machine.emit_event("record", "uncalled", row.name, mask, extra={"row": row})
    elif sets_nothing(node):
        machine.emit_event("record", "compared", node.left.name, mask)


def sets_nothing(node: object) -> TypeGuard[Any]:
    """`parameter.requires_grad == False` as a statement, where one `=` was meant."""
    return (
        isinstance(node, ir.Compare)
        and isinstance(node.left, ir.Attr)
        and len(node.pairs) == 1
        and node.pairs[0][0] == "=="
        and isinstance(node.pairs[0][1], ir.Const)
    )


def on_tensor(machine: Machine, node: ir.Call, value: Value) -> Api | None:
    """`parameter.grad.clamp(-1, 1)`: whatever the parameter belongs to, its gradient is a tensor; so is what several
    were put into, what was reduced in its place, and what a batch has under its keys."""
    if not isinstance(value, Unknown):
        return None
    name, method = getattr(node.func, "name", ""), tensors.method_of(value.symbol)
    if method is not None and is_tensor(machine, method[0]):
        if method[1] != name:
            return None  # `shown.copy_(part.half())` gives back what it was given
    elif name not in tensors.COPIES or not under_a_key(value):
        return None
    row = machine.knowledge.method(tensors.KIND, name)
    return row if row is not None and row.extra.get("pure") else None


def under_a_key(value: Unknown) -> bool:
    """`batch["labels"]`, `for part in batch.values()`: a tensor, while the batch itself may know how to move itself."""
    if not any(isinstance(tag, tuple) and tag[0] == "loader" for tag in value.tags):
        return False
    symbol = value.symbol
    while symbol.key[0] == "item" and isinstance(symbol.key[1], Symbol):
        if len(symbol.key) > 2 and isinstance(symbol.key[2], str):
            return True
        symbol = symbol.key[1]
    walk = tensors.method_of(symbol)
    return walk is not None and walk[1] in ("values", "items")


def is_tensor(machine: Machine, part: Any) -> bool:
    if not isinstance(part, Symbol):
        return False
    if part.key[0] == AGREED:
        return handed_as(part) == "tensor"
    row = machine.knowledge.apis.get(part.key[0])
    return is_parameter(part) or attribute_of(part) == "grad" or (row is not None and row.model == JOINED)


def is_parameter(part: Symbol) -> bool:
    """One that a model gives when it is asked for all of them, or its `.data`."""
    if attribute_of(part) == "data" and isinstance(part.key[1], Symbol):
        part = part.key[1]
    return next(parameters.owners(part, parameters.DEEP, False), None) is not None


def is_asked_later(machine: Machine, node: ir.Call, given: ir.Expr | None) -> bool:
    """Is what was handed in named again below? A call whose answer nobody wants may be made for others to wait at."""
    inside = {id(one) for one in every_node(node)}
    below = False
    for one in every_node(machine.frame.node or machine.project.tree(machine.frame.path).body):
        below = below or one is node
        if below and id(one) not in inside and isinstance(given, ir.Name) and isinstance(one, ir.Name):
            if one.id == given.id:
                return True
    return False


def is_held(machine: Machine, node: ir.Expr) -> bool:
    """Does anybody have what the call was made on? Of what was made a moment ago nobody expects a change."""
    while isinstance(node, ir.Call | ir.Attr):
        node = node.func if isinstance(node, ir.Call) else node.value
    made_by = attributes.lookup(machine, node.id) if isinstance(node, ir.Name) else None
    return not isinstance(made_by, External | ModuleRef | ClassRef | FunctionRef)


def is_tried(machine: Machine, node: ir.Expr) -> bool:
    """`try: probe.to(device)`: whether it can be done is all that is asked."""
    module = machine.project.tree(machine.frame.path)
    return any(
        isinstance(attempt, ir.Try)
        and attempt.handlers
        and any(isinstance(line, ir.ExprStmt) and line.value is node for line in attempt.body)
        for attempt in every_node(machine.frame.node or module.body)
    )


def called_name(value: Value) -> str:
    target = value.function if isinstance(value, Bound) else value
    return target.name if isinstance(target, External) else ""
