"""What does a context manager do that is written above a function: `@phase("train")`, `@rank_zero_first()`?

`contextlib` runs the whole body of such a function inside the context: the function is read as if it stood there.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.python.generators import is_generator
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, FunctionRef, Object, Value

DECORATING = frozenset({"contextlib.ContextDecorator", "contextlib.AsyncContextDecorator"})
INSIDE = "functions in a context"  # note: by decorator, what its function is read as


def wraps(machine: Machine, maker: Value, value: Value) -> bool:
    if not isinstance(value, FunctionRef) or not isinstance(value.node, ir.Function) or value.node.is_generator:
        return False
    if is_generator(maker):
        return bool(maker.facts["function"].context_manager)
    if not isinstance(maker, Object) or not isinstance(maker.kind, ClassRef):
        return False
    called = classes.in_class(machine, maker.kind, "__call__")
    return called is None and not DECORATING.isdisjoint(classes.external_bases(machine, maker.kind))


def inside(machine: Machine, decorator: ir.Expr, function: FunctionRef) -> FunctionRef:
    known: dict[tuple[int, int], ir.Function] = machine.notes.setdefault(INSIDE, {})
    before = function.node
    node = known.get((id(decorator), id(before)))
    if node is None:
        node = known[id(decorator), id(before)] = body_inside(decorator, before)
    made = FunctionRef(node, function.path, function.closure, function.owner, function.defaults, function.kind)
    made.context_manager = function.context_manager
    return made


def body_inside(decorator: ir.Expr, node: ir.Function | ir.Lambda) -> ir.Function:
    around = ir.With(((decorator, None),), node.body, node.is_async, getattr(decorator, "at", None) or node.at)
    held = {name: getattr(node, name) for name in tuple[str, ...](ir.Function.__slots__)}
    spoken = (getattr(one, "id", None) or getattr(one, "name", None) for one in every_node(decorator))
    held["body"] = (around,)
    held["tokens"] = node.tokens | {word for word in spoken if isinstance(word, str)}
    return ir.Function(*held.values())
