"""Does a function return something of the form of what it was given: its state after a step, a tree of gradients?

`return state.apply_gradients(grads=grads), loss` does, `return loss(model.apply(params, x), y)` does not. What a helper
of the project makes of it is asked in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


DEEPEST = 3  # helpers of helpers


@dataclass(frozen=True, slots=True)
class Helper:
    """A function, how many of its parameters the call has given already, and who answers for those it calls."""

    node: ir.Function | ir.Lambda
    taken: int
    helper: Find


Find = Callable[[ir.Expr], "Helper | None"]


def returns_form_of(function: ir.Function | ir.Lambda, name: str, helper: Find, deepest: int = DEEPEST) -> bool:
    known = Known({name}, helper, deepest)
    if isinstance(function, ir.Lambda):
        return known.keeps(function.body)
    own = [node for node in every_node(function.body, (ir.Function, ir.Class, ir.Lambda)) if isinstance(node, ir.Stmt)]
    before = 0
    while len(known.names) > before:
        before = len(known.names)
        for statement in own:
            if isinstance(statement, ir.Assign) and known.keeps(statement.value):
                known.names.update(node.id for node in every_node(statement.targets) if isinstance(node, ir.Name))
    return any(known.keeps(one.value) for one in own if isinstance(one, ir.Return) and one.value is not None)


@dataclass(frozen=True, slots=True)
class Known:
    """The names that hold something of the form, as far as one function shows."""

    names: set[str]
    helper: Find
    deepest: int

    def keeps(self, value: ir.Expr | None) -> bool:
        match value:
            case ir.Name():
                return value.id in self.names
            case ir.Attr() | ir.Index() | ir.Star() | ir.Unary() | ir.Await():
                return self.keeps(value.value)
            case ir.BinOp():
                return value.op != "@" and (self.keeps(value.left) or self.keeps(value.right))
            case ir.IfExp():
                return self.keeps(value.body) or self.keeps(value.orelse)
            case ir.Tup() | ir.ListExpr():
                return any(self.keeps(one) for one in value.items)
            case ir.DictExpr():
                return any(self.keeps(one) for _, one in value.items)
            case ir.Comp():
                return self.keeps(value.element) or any(self.keeps(clause.iterable) for clause in value.clauses)
            case ir.Call():
                return self.call_keeps(value)
        return False

    def call_keeps(self, call: ir.Call) -> bool:
        name = last_name(call.func)
        found = self.helper(call.func) if self.deepest else None
        if found is not None:
            given = [one.name for one in found.node.params[found.taken :][: len(call.args)]]
            mine = [param for param, one in zip(given, call.args, strict=False) if self.keeps(one)]
            mine += [param for param, one in call.keywords if param is not None and self.keeps(one)]
            return any(returns_form_of(found.node, param, found.helper, self.deepest - 1) for param in mine)
        if isinstance(call.func, ir.Attr) and name not in LOOKS and self.keeps(call.func.value):
            return True
        if isinstance(call.func, ir.Call) and "grad" in name:
            return any(self.keeps(one) for one in differentiated(call))
        if not (name in KEEPS or "update" in name or "grad" in name or name[:1].isupper()):
            return False
        return any(self.keeps(one) for one in (*call.args, *(one for _, one in call.keywords)))


def differentiated(call: ir.Call) -> tuple[ir.Expr, ...]:
    """`jax.grad(loss)(params, batch)`: gradients have the form of the first argument, if it is not said of which."""
    assert isinstance(call.func, ir.Call)
    told = len(call.func.args) > 1 or any(name in (None, "argnums") for name, _ in call.func.keywords)
    every = (*call.args, *(one for _, one in call.keywords))
    return every if told else every[:1]


def last_name(function: ir.Expr) -> str:
    """`jax.grad(loss)(params)` is named by what made it."""
    if isinstance(function, ir.Call):
        return last_name(function.func)
    return str(getattr(function, "name", getattr(function, "id", "")))
