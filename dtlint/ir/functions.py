"""What does a file hold: its functions, as far as they can be told from outside, and every node below one?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes

Found = tuple[nodes.Function, "nodes.Class | None"]


def functions_of(module: nodes.Module) -> Iterator[Found]:
    """Top-level functions and methods, outermost first."""

    def inside(body: tuple[nodes.Stmt, ...], owner: nodes.Class | None) -> Iterator[Found]:
        for statement in body:
            if isinstance(statement, nodes.Function):
                yield statement, owner
            elif isinstance(statement, nodes.Class):
                yield from inside(statement.body, statement)
            elif isinstance(statement, nodes.If):
                yield from inside(statement.body, owner)
                yield from inside(statement.orelse, owner)
            elif isinstance(statement, nodes.Try):
                yield from inside(statement.body, owner)
                for handler in statement.handlers:
                    yield from inside(handler.body, owner)

    yield from inside(module.body, None)


def tables_of(module: nodes.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Dictionaries that a file names, with the words in them: functions are looked up in such tables."""
    for statement in module.body:
        if isinstance(statement, nodes.Assign) and isinstance(statement.value, nodes.DictExpr):
            words = frozenset(
                node.id if isinstance(node, nodes.Name) else node.name
                for node in every_node(statement.value)
                if isinstance(node, nodes.Name | nodes.Attr)
            )
            for target in statement.targets:
                if isinstance(target, nodes.Name):
                    yield target.id, words


def aliases_of(module: nodes.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """`from torch.nn.parallel import DistributedDataParallel as DDP`: what is called by the one name is the other."""
    for statement in module.body:
        if isinstance(statement, nodes.ImportFrom):
            for name, alias in statement.names:
                if alias is not None and alias != name:
                    yield alias, frozenset((name,))


def every_node(below: Any, outside: tuple[type, ...] = ()) -> Iterator[Any]:
    """Every node below, outermost first, in the order of the text; what stands in an `outside` is left out."""
    todo = [below]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind is tuple or kind is list:
            todo.extend(node[::-1])
        elif isinstance(node, nodes.Node) and not (outside and isinstance(node, outside)):
            yield node
            for name in kind.below[::-1]:
                held = getattr(node, name)
                if held is not None:
                    todo.append(held)


def children(node: Any) -> Iterator[Any]:
    """The nodes right below one."""
    for slot in getattr(node, "below", ()):
        held = getattr(node, slot)
        for inner in held if isinstance(held, tuple) else (held,):
            for one in inner if isinstance(inner, tuple) else (inner,):
                if isinstance(one, nodes.Node):
                    yield one


def variables_in(below: Any) -> set[str]:
    """The names without a dot that are written below, given a value or read."""
    return {node.id for node in every_node(below) if isinstance(node, nodes.Name)}


def mentions(below: Any, variables: set[str]) -> bool:
    """Is one of these written below?"""
    return any(isinstance(node, nodes.Name) and node.id in variables for node in every_node(below))


def called_names(below: Any, outside: tuple[type, ...] = ()) -> Iterator[str]:
    """The last names of what is called below."""
    for node in every_node(below, outside):
        if isinstance(node, nodes.Call):
            yield called_name(node)


def called_name(call: nodes.Call) -> str:
    """The last name of what is called: `init` of `group.init()`"""
    return last_name(call.func)


def last_name(node: Any) -> str:
    """`init` of `init` and of `group.init`"""
    return str(getattr(node, "name", getattr(node, "id", "")))


def attribute_name(target: Any) -> str:
    """`self.name`"""
    if isinstance(target, nodes.Attr) and isinstance(target.value, nodes.Name) and target.value.id == "self":
        return str(target.name)
    return ""
