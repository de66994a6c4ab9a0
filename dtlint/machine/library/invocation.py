"""One call of a library function, with its arguments by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.knowledge.rows import Api
from dtlint.machine.values import Object, Value

LOCAL = Api(name="", does="local")
Keywords = tuple[tuple[str | None, Value], ...]


@dataclass(slots=True)
class Invocation:
    name: str
    row: Api
    receiver: Value | None
    arguments: tuple[Value, ...]
    keywords: Keywords
    mask: int
    node: ir.Call | None
    extra: dict[str, Any] = field(default_factory=dict)

    def get(self, param: str) -> Value | None:
        """The value given for a parameter, `self` being the receiver."""
        if param == "self":
            return self.receiver
        for name, value in self.keywords:
            if name is not None and self.row.spellings.get(name, name) == param:
                return value
        if param in self.row.params:
            position = self.row.params.index(param)
            if position < len(self.arguments):
                held = self.arguments[position]
                if not (isinstance(held, Object) and held.kind == "<spread>"):
                    return held
        return None

    def expression(self, param: str) -> ir.Expr | None:
        """The source expression given for a parameter."""
        if self.node is None:
            return None
        for name, expression in self.node.keywords:
            if name is not None and self.row.spellings.get(name, name) == param:
                return expression
        if param in self.row.params:
            position = self.row.params.index(param)
            if position < len(self.node.args) and not any(
                isinstance(arg, ir.Star) for arg in self.node.args[: position + 1]
            ):
                return self.node.args[position]
        return None

    @property
    def values(self) -> tuple[Value, ...]:
        return (*self.arguments, *(value for _, value in self.keywords))


Handler = Callable[[Any, Invocation], Value | None]  # of a machine and a call
