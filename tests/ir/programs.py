"""Random programs for the lowering tests: every construct that has a place, in odd layouts."""

from __future__ import annotations

import random
from collections.abc import Callable

NAMES = ("a", "b", "é", "日本", "x1", "dist")


class Writer:
    """Writes one program; all choices come from `choose`, so that a seed tells the whole story."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)

    def program(self) -> str:
        return self.body("", 3, self.choose.randint(1, 6))

    def body(self, indent: str, depth: int, count: int) -> str:
        return "".join(self.statement(indent, depth) for _ in range(count))

    def block(self, indent: str, depth: int) -> str:
        if self.choose.random() < 0.15:
            return f" {self.simple()}; {self.simple()}\n"
        return "  # ü\n" + self.body(indent + "    ", depth - 1, self.choose.randint(1, 2))

    def statement(self, indent: str, depth: int) -> str:
        if depth <= 0 or self.choose.random() < 0.45:
            line = "; ".join(self.simple() for _ in range(self.choose.choice((1, 1, 1, 2))))
            return f"{indent}{line}{self.choose.choice(('', '  # c(1)'))}\n"
        return self.choose.choice(
            (self.if_, self.while_, self.for_, self.try_, self.with_, self.function, self.class_, self.match)
        )(indent, depth)

    def simple(self) -> str:
        e = self.expression
        writers: tuple[Callable[[], str], ...] = (
            lambda: e(2),
            lambda: f"{self.name()} = {self.name()}[{e(1)}] = {e(2)}",
            lambda: f"{self.name()}: {e(1)} = {e(1)}",
            lambda: f"{self.name()}.{self.name()} @= {e(2)}",
            lambda: f"assert {e(1)}, {e(1)}",
            lambda: f"raise {e(1)} from {e(1)}",
            lambda: f"del {self.name()}, {self.name()}[{e(1)}]",
            lambda: f"import os.path as {self.name()}, sys",
            lambda: "from .. import (a as b,\n    c)",
            lambda: "pass",
            lambda: f"global {self.name()}",
            lambda: f"*{self.name()}, b = {e(1)}, {e(1)}",
        )
        return self.choose.choice(writers)()

    def if_(self, indent: str, depth: int) -> str:
        text = f"{indent}if {self.expression(2)}:{self.block(indent, depth)}"
        for _ in range(self.choose.randint(0, 2)):
            text += f"{indent}elif {self.expression(1)}:{self.block(indent, depth)}"
        return text + (f"{indent}else:{self.block(indent, depth)}" if self.choose.random() < 0.5 else "")

    def while_(self, indent: str, depth: int) -> str:
        return f"{indent}while {self.expression(1)}:{self.block(indent, depth)}"

    def for_(self, indent: str, depth: int) -> str:
        head = f"{indent}for {self.name()}, b in {self.expression(1)}:{self.block(indent, depth)}"
        return head + (f"{indent}else:{self.block(indent, depth)}" if self.choose.random() < 0.3 else "")

    def try_(self, indent: str, depth: int) -> str:
        return (
            f"{indent}try:{self.block(indent, depth)}"
            f"{indent}except {self.expression(1)} as é:{self.block(indent, depth)}"
            f"{indent}else:{self.block(indent, depth)}{indent}finally:{self.block(indent, depth)}"
        )

    def with_(self, indent: str, depth: int) -> str:
        return f"{indent}with {self.expression(1)} as a, {self.expression(1)}:{self.block(indent, depth)}"

    def function(self, indent: str, depth: int) -> str:
        decorator = f"{indent}@{self.name()}({self.expression(1)})\n" if self.choose.random() < 0.5 else ""
        head = (
            f"def f(a: {self.expression(1)} = {self.expression(1)}, *, b={self.expression(1)}) -> {self.expression(1)}"
        )
        inner = f"{indent}    return {self.expression(1)}\n"
        return f"{decorator}{indent}{head}:\n{self.body(indent + '    ', depth - 1, 1)}{inner}"

    def class_(self, indent: str, depth: int) -> str:
        return f"{indent}@a.b\n{indent}class C(*{self.name()}, k={self.expression(1)}):{self.block(indent, depth)}"

    def match(self, indent: str, depth: int) -> str:
        guard = f" if {self.expression(1)}" if self.choose.random() < 0.5 else ""
        inner = indent + "  "
        return (
            f"{indent}match {self.expression(1)}:\n{inner}# case no\n{inner}case [a, *_] | C(x=1) as b{guard}:"
            f"{self.block(inner, depth)}{inner}case {{'k': v, **r}}:{self.block(inner, depth)}"
        )

    def name(self) -> str:
        return self.choose.choice(NAMES)

    def expression(self, depth: int) -> str:
        if depth <= 0:
            return self.choose.choice((self.name(), "1", "'ß'", "None", "f()", "'a' 'b'"))
        e = lambda: self.expression(depth - 1)  # noqa: E731
        writers: tuple[Callable[[], str], ...] = (
            lambda: f"{self.name()}({e()}, *{e()}, k = {e()}, **{e()})",
            lambda: f"{self.name()}.m(\n  {e()}\n  ,)({e()})",
            lambda: f"({e()} if {e()} else {e()})",
            lambda: f"(lambda q, *r, s={e()}: {e()})",
            lambda: f"[{e()} for y in {e()} if {e()} for z in {e()}]",
            lambda: f"{{{e()}: {e()} for y in {e()}}}",
            lambda: f"({e()} for y in {e()})",
            lambda: f"f'é{{{e().replace(chr(39), chr(34))}!r:>{{b(1)}}}}' 'ü'" if depth < 2 else "f'{a(1)}'",
            lambda: f"({e()} + {e()}) * -{e()}",
            lambda: f"({e()} and {e()} or not {e()})",
            lambda: f"({e()} < {e()} is not {e()})",
            lambda: f"{{**{e()}, {e()}: {e()}}}",
            lambda: f"({e()}, *{e()})",
            lambda: f"(w := {e()})",
            lambda: f"(yield {e()})",
            lambda: f"{self.name()}[{e()}:, {e()}]",
            lambda: f"(\n# (comment\n{e()})",
        )
        return self.choose.choice(writers)()
