"""What is known while a file is being lowered: places still to hand out, and what the enclosing scope collects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from sys import intern

from dtlint.ir.positions import Place, Positions


class SyntaxProblem(Exception):
    """The text cannot be analysed; line and column count from 1."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(line, column, message)
        self.line = line
        self.column = column
        self.message = message

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}"


class Misaligned(Exception):
    """The places do not belong to this tree."""


class Lowering:
    __slots__ = (
        "_iterators",
        "bound",
        "calls",
        "cases",
        "comprehensions",
        "conditionals",
        "declared",
        "inside",
        "lambdas",
        "prefix",
        "statements",
        "strings",
        "tokens",
        "yields",
        "yields_here",
    )

    def __init__(self, positions: Positions) -> None:
        self._iterators: list[Iterator[object]] = []
        self.statements: Callable[[], Place] = self._hand_out(positions.statements)
        self.calls: Callable[[], tuple[Place, str]] = self._hand_out(
            list(zip(positions.calls, positions.call_names, strict=True))
        )
        self.conditionals: Callable[[], Place] = self._hand_out(positions.conditionals)
        self.lambdas: Callable[[], Place] = self._hand_out(positions.lambdas)
        self.comprehensions: Callable[[], Place] = self._hand_out(positions.comprehensions)
        self.yields: Callable[[], Place] = self._hand_out(positions.yields)
        self.strings: Callable[[], Place] = self._hand_out(positions.strings)
        self.cases: Callable[[], Place] = self._hand_out(positions.cases)
        self.inside: Place | None = None  # the f-string being lowered: what it holds gets its place
        self.prefix = ""  # of qualified names: "Class." or "outer.<locals>."
        self.tokens: set[str] = set()
        self.bound: set[str] = set()  # by the innermost function or loop
        self.declared: set[str] = set()  # global or nonlocal in the innermost function
        self.yields_here = False

    def _hand_out(self, places: list) -> Callable:
        iterator = iter(places)
        self._iterators.append(iterator)
        return iterator.__next__

    def exhausted(self) -> bool:
        return all(next(iterator, None) is None for iterator in self._iterators)

    def token(self, name: str) -> str:
        name = intern(name)
        self.tokens.add(name)
        return name
