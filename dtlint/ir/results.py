"""Does a function return something of the form of what it was given: its state after a step, a tree of gradients?

`return state.apply_gradients(grads=grads), loss` does, `return loss(model.apply(params, x), y)` does not. What a helper
makes of it is not looked into: then it does not.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node

# What does not keep the form of what it is called on
LOOKS = frozenset({"apply", "apply_fn", "sum", "mean", "max", "min", "prod", "all", "any", "item", "shape", "size"})
# What gives something of the form of an argument
KEEPS = frozenset(
    {
        *("apply_updates", "apply_gradients", "incremental_update", "replace", "merge", "copy", "asarray", "array"),
        *("map", "tree_map", "tree_multimap", "multimap", "where", "select", "cond", "switch", "dict", "tuple", "list"),
        *("scan", "fori_loop", "while_loop", "pmean", "psum", "with_sharding_constraint", "stop_gradient"),
    }
)


def returns_form_of(function: ir.Function | ir.Lambda, name: str) -> bool:
    if isinstance(function, ir.Lambda):
        return keeps(function.body, {name})
    own = [node for node in every_node(function.body, (ir.Function, ir.Class, ir.Lambda)) if isinstance(node, ir.Stmt)]
    known = {name}
    before = 0
    while len(known) > before:
        before = len(known)
        for statement in own:
            if isinstance(statement, ir.Assign) and keeps(statement.value, known):
                known.update(node.id for node in every_node(statement.targets) if isinstance(node, ir.Name))
    returned = (one.value for one in own if isinstance(one, ir.Return) and one.value is not None)
    return any(keeps(value, known) for value in returned)


def keeps(value: ir.Expr | None, known: set[str]) -> bool:
    match value:
        case ir.Name():
            return value.id in known
        case ir.Attr() | ir.Index() | ir.Star() | ir.Unary() | ir.Await():
            return keeps(value.value, known)
        case ir.BinOp():
            return value.op != "@" and (keeps(value.left, known) or keeps(value.right, known))
        case ir.IfExp():
            return keeps(value.body, known) or keeps(value.orelse, known)
        case ir.Tup() | ir.ListExpr():
            return any(keeps(one, known) for one in value.items)
        case ir.DictExpr():
            return any(keeps(one, known) for _, one in value.items)
        case ir.Comp():
            return keeps(value.element, known) or any(keeps(clause.iterable, known) for clause in value.clauses)
        case ir.Call():
            return call_keeps(value, known)
    return False


def call_keeps(call: ir.Call, known: set[str]) -> bool:
    name = last_name(call.func)
    if isinstance(call.func, ir.Attr) and name not in LOOKS and keeps(call.func.value, known):
        return True
    if not (name in KEEPS or "update" in name or "grad" in name or name[:1].isupper()):
        return False
    return any(keeps(one, known) for one in (*call.args, *(one for _, one in call.keywords)))


def last_name(function: ir.Expr) -> str:
    """`jax.grad(loss)(params)` is named by what made it."""
    if isinstance(function, ir.Call):
        return last_name(function.func)
    return str(getattr(function, "name", getattr(function, "id", "")))
