"""An expression reads as it was written: with brackets where they are needed, and nowhere else."""

from __future__ import annotations

import ast
import random

import pytest

from dtlint.ir import nodes as ir
from dtlint.ir.lowering import lower
from dtlint.ir.text import LIMIT, render

WRITTEN = [
    "size * (devices - 1)",
    "size * devices - 1",
    "a - (b - c)",
    "a - b - c",
    "a // (b * c)",
    "2 ** 3 ** n",
    "(2 ** 3) ** n",
    "-x ** 2",
    "(-x) ** 2",
    "not (a and b)",
    "not a and b",
    "(a or b) and c",
    "a or b and c",
    "(a == b) == c",
    "(a + b).mean(dim=0)[1:]",
    "(x if y else z) + 1",
    "x if y else z if w else v",
    "rank == 0 and step % (every * world) == 0",
]


OPERATORS = ("+", "-", "*", "//", "**", "|", "&", "<", "and", "or")
FORMS = [f"({{}}) {operator} ({{}})" for operator in OPERATORS]
FORMS += ["({}) if ({}) else ({})", "not ({})", "-({})", "({})[{}]"]


def expression(text: str) -> ir.Expr:
    (statement,) = lower(f"x_ = {text}\n", "text.py").body
    assert isinstance(statement, ir.Assign)
    return statement.value


@pytest.mark.parametrize("text", WRITTEN)
def test_brackets_stay_where_they_matter(text: str) -> None:
    assert render(expression(text)) == text


def test_what_is_read_back_is_the_same_expression() -> None:
    chance = random.Random(5)

    def some(depth: int) -> str:
        if depth == 0:
            return chance.choice(["a", "b.c", "f(x)", "3"])
        form = chance.choice(FORMS)
        return form.format(*(some(depth - 1) for _ in range(form.count("{}"))))

    for _ in range(300):
        text = some(3)
        shown = render(expression(text), 10_000)
        assert meaning(shown) == meaning(text), (text, shown)


def meaning(text: str) -> str:
    """Its tree; `(a or b) or c` is `a or b or c`."""

    class Flat(ast.NodeTransformer):
        def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
            self.generic_visit(node)
            same = [isinstance(one, ast.BoolOp) and type(one.op) is type(node.op) for one in node.values]
            node.values = [
                part
                for one, inner in zip(node.values, same, strict=True)
                for part in (one.values if inner and isinstance(one, ast.BoolOp) else [one])
            ]
            return node

    return ast.dump(Flat().visit(ast.parse(text)))


def test_long_ones_are_cut() -> None:
    assert render(expression("a + " * 50 + "a")).endswith("…")
    assert len(render(expression("a + " * 50 + "a"))) == LIMIT
