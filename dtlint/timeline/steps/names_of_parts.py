"""Does a program name a part of a model anywhere, or take all parts by a number or by names it computes?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.names import classes
from dtlint.machine.values import Bound, ClassRef, Const, FunctionRef, Object, Value
from dtlint.timeline.steps.stepping import events

WHOLE = frozenset(
    {"children", "named_children", "modules", "named_modules", "parameters", "named_parameters", "_modules"}
)


def named_once(run: Any, model: Object, name: str) -> bool:
    """Does the class name this part in one place only, and nobody else?"""
    assert isinstance(model.kind, ClassRef)
    own, found = f"{model.kind.node.qualname}.", 0
    for path in files_naming(run, model, name):
        for function in functions(run.project.module(path).body):
            if path == model.kind.path and function.qualname.startswith(own):
                found += 0 if function.name == "__init__" else uses_of(function, name, model)
            elif name in function.tokens:
                return False
    return found == 1


def files_naming(run: Any, model: Object, name: str) -> list[str]:
    """Also those that say nothing of ranks, as the file of a model may."""
    assert isinstance(model.kind, ClassRef)
    return sorted({model.kind.path, *run.project.mentioning(name)})


def never_named(run: Any, model: Object, name: str) -> bool:
    """No function of the project but the constructor mentions this part, by its name or all parts together."""
    assert isinstance(model.kind, ClassRef)
    mentioned = 0
    own = f"{model.kind.node.qualname}."
    for path in files_naming(run, model, name):
        for function in functions(run.project.module(path).body):
            if path == model.kind.path and function.qualname.startswith(own):
                if function.name != "__init__" and (function.tokens & WHOLE or takes_by_computed_name(function)):
                    return False
                if name.isdigit() and takes_by_number(function):
                    return False
                mentioned += uses_of(function, name, model) - (function.name == "__init__")
            elif name in function.tokens:
                return False
    forward = attributes_in(model.kind, "forward")
    return mentioned <= 0 and isinstance(forward, FunctionRef | Bound)


def takes_by_computed_name(function: ir.Function) -> bool:
    """`getattr(self, f"outlet_{number}")`: whichever part is called so."""
    if "getattr" not in function.tokens:
        return False
    asked = (one for one in every_node(function.body) if isinstance(one, ir.Call) and is_name(one.func, "getattr"))
    return any(len(one.args) > 1 and not isinstance(one.args[1], ir.Const) for one in asked)


def is_name(node: Any, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def takes_by_number(function: ir.Function) -> bool:
    """`self[0](x)`, `for layer in self:`, where layers were handed to `nn.Sequential` without names."""
    taken = (
        node.value if isinstance(node, ir.Index) else node.iterable if isinstance(node, ir.For) else None
        for node in every_node(function.body, (ir.Lambda, ir.Function))
    )
    return any(isinstance(one, ir.Name) and one.id == "self" for one in taken)


def passed_by(run: Any, model: Object, name: str) -> bool:
    """Is the one place that names this part a call in the `forward` itself, to which no forward pass has come?"""
    assert isinstance(model.kind, ClassRef)
    forward = attributes_in(model.kind, "forward")
    node = forward.node if isinstance(forward, FunctionRef) else None
    return (
        isinstance(node, ir.Function)
        and not node.tokens & WHOLE
        and any(is_call_of(inner, name) for inner in every_node(node.body, (ir.Lambda, ir.Function)))
        and named_once(run, model, name)
        and any(met.event.function == node.qualname for met in events(run, "record", "module-call"))
    )


def is_call_of(node: Any, name: str) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == name


def attributes_in(kind: ClassRef, name: str) -> Value | None:
    return classes.in_class(None, kind, name)  # type: ignore[arg-type]  # needs no machine


def functions(body: tuple[Any, ...]) -> Iterator[ir.Function]:
    for statement in body:
        if isinstance(statement, ir.Function):
            yield statement
        for name in ("body", "orelse"):
            inner = getattr(statement, name, None)
            if isinstance(inner, tuple):
                yield from functions(inner)


def uses_of(node: Any, name: str, model: Object) -> int:
    """How often living code under `node` names the attribute."""
    found = 1 if isinstance(node, ir.Attr) and node.name == name else 0
    switched = switch(node.test, model) if isinstance(node, ir.If) else None
    for slot in getattr(node, "__slots__", ()):
        if switched is not None and slot == ("orelse" if switched else "body"):
            continue
        held = getattr(node, slot)
        for inner in held if isinstance(held, tuple) else (held,):
            for one in inner if isinstance(inner, tuple) else (inner,):
                if isinstance(one, ir.Node):
                    found += uses_of(one, name, model)
    return found


def switch(test: Any, model: Object) -> bool | None:
    """What `if self.option:` decides for a model whose option is known for good."""
    if isinstance(test, ir.Attr) and isinstance(test.value, ir.Name) and test.value.id == "self":
        held = model.attributes.get(test.name)
        return bool(held.value) if isinstance(held, Const) and held.scale is None else None
    return None
