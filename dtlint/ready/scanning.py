"""Which facts can be read off the names a program uses?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.lowering import SyntaxProblem, lower
from dtlint.ready.facts import Fact, KnownFacts, collected
from dtlint.ready.names import COUNT_WORDS, HOSTS_STATED, RANK_WORDS, SHOWS
from dtlint.source.text import Incomplete, SourceFile, read

DEEPEST = 400  # nodes below nodes; deeper code shows nothing that is not shown elsewhere


def _tables() -> tuple[dict[str, list[str]], list[tuple[str, str]], dict[str, list[str]]]:
    exact: dict[str, list[str]] = {}
    beginnings: list[tuple[str, str]] = []
    methods: dict[str, list[str]] = {}
    for kind, names in SHOWS.items():
        for name in names:
            if name.startswith("."):
                methods.setdefault(name[1:], []).append(kind)
            elif name.endswith("*"):
                beginnings.append((name[:-1], kind))
            else:
                exact.setdefault(name, []).append(kind)
    return exact, beginnings, methods


EXACT, BEGINNINGS, METHODS = _tables()
# Of two ways to import one thing, the one in the table.
SAME = {
    "torch.distributed.": "dist.",
    "lightning.pytorch.": "lightning.",
    "orbax.checkpoint.": "ocp.",
}


def scan(files: Iterable[SourceFile]) -> KnownFacts:
    """The facts of these files. A file that cannot be read or parsed shows nothing; the check reports it."""
    facts: list[Fact] = []
    hosts: set[int] = set()
    for file in files:
        if file.is_notebook:
            continue
        source = read(file)
        if isinstance(source, Incomplete):
            continue
        try:
            module = lower(source.text, file.path)
        except SyntaxProblem:
            continue
        scanner = _Scanner(file.path)
        scanner.statements(module.body)
        facts += scanner.facts
        hosts |= scanner.hosts
    return collected(dict.fromkeys(facts), max(hosts) if hosts else None)


class _Scanner:
    """Walks one file; keeps what names mean and what has been seen."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: dict[str, str] = {}
        self.facts: list[Fact] = []
        self.hosts: set[int] = set()
        self.turns: set[str] = set()  # variables of loops
        self.effects: set[int] = set()  # calls whose result nobody takes

    def statements(self, body: Any) -> None:
        for node in body:
            self.visit(node, 1, 0)

    def visit(self, node: Any, line: int, depth: int) -> None:
        if isinstance(node, (tuple, list)):
            for item in node:
                self.visit(item, line, depth + 1)
            return
        if not isinstance(node, ir.Node) or depth > DEEPEST:
            return
        place = getattr(node, "at", None)
        if place:
            line = place[0]
        match node:
            case ir.Import():
                for name, alias in node.names:
                    self.names[alias or name.partition(".")[0]] = name if alias else name.partition(".")[0]
            case ir.ImportFrom():
                module = node.module or ""
                for name, alias in node.names if not node.level and isinstance(node.names, tuple) else ():
                    self.names[alias or name] = f"{module}.{name}"
            case ir.ExprStmt():
                self.effects.add(id(node.value))
            case ir.For():
                self.turns |= _targets(node.target)
            case ir.Call():
                self.call(node, line)
            case ir.Assign():
                self.assignment(node, line)
            case ir.Compare():
                self.comparison(node, line)
        slots: tuple[str, ...] = node.__slots__
        for slot in slots:
            child = getattr(node, slot)
            if slot != "at" and isinstance(child, (ir.Node, tuple, list)):
                self.visit(child, line, depth + 1)

    def dotted(self, node: Any) -> str:
        """`torch.distributed.barrier` for `dist.barrier`; a leading dot where the object is not a known module."""
        parts: list[str] = []
        while isinstance(node, ir.Attr):
            parts.append(node.name)
            node = node.value
        if isinstance(node, ir.Name):
            first = self.names.get(node.id)
            if first is not None:
                return ".".join([first, *reversed(parts)])
            return ".".join(["", *reversed(parts)]) if parts else node.id
        return ".".join(["", *reversed(parts)]) if parts else ""

    def note(self, kind: str, line: int, text: str) -> None:
        self.facts.append(Fact(self.path, line, kind, text))

    def call(self, node: ir.Call, line: int) -> None:
        name = self.dotted(node.func)
        last = name.rpartition(".")[2]
        text = f"{name.lstrip('.') if name.startswith('.') else _short(name)}()"
        words = {_word(argument) for argument in node.args} | {_word(value) for _, value in node.keywords}
        in_turns = bool(words & self.turns - RANK_WORDS)  # one process takes one part after the other
        for kind in kinds_of(name):
            if not (in_turns and kind == "data-sharding"):
                self.note(kind, line, text)
        keywords = {keyword for keyword, _ in node.keywords if keyword}
        by_rank = words & RANK_WORDS and words & COUNT_WORDS
        # what is called for its effect gives nobody a part of the data
        if (by_rank or {"num_shards", "num_replicas"} & keywords) and not in_turns and id(node) not in self.effects:
            self.note("data-sharding", line, text)
        if last in ("setdefault", "putenv") and len(node.args) == 2:
            self.stated(node.args[0], node.args[1])

    def assignment(self, node: ir.Assign, line: int) -> None:
        for target in node.targets:
            if isinstance(target, ir.Index) and self.dotted(target.value) == "os.environ":
                self.note("environment", line, "os.environ[…] = …")
                self.stated(target.index, node.value)
            elif isinstance(target, ir.Name) and target.id in HOSTS_STATED:
                self.stated(ir.Const(target.id), node.value)

    def stated(self, name: Any, value: Any) -> None:
        """`os.environ["JAX_PROCESS_COUNT"] = "4"`: the number of hosts that the author has in mind."""
        if isinstance(name, ir.Const) and name.value in HOSTS_STATED and isinstance(value, ir.Const):
            text = str(value.value)
            if re.fullmatch(r"[1-9]\d{0,5}", text) and int(text) > 1:
                self.hosts.add(int(text))

    def comparison(self, node: ir.Compare, line: int) -> None:
        sides = [node.left, *(side for _, side in node.pairs)]
        words = {_word(side) for side in sides}
        if words & RANK_WORDS and any(isinstance(side, ir.BinOp) and side.op == "%" for side in sides):
            self.note("data-sharding", line, "every n-th item")
        elif words & RANK_WORDS:
            self.note("lead-guard", line, "compared with the rank")


def _targets(node: Any) -> set[str]:
    if isinstance(node, ir.Name):
        return {str(node.id)}
    items = getattr(node, "items", ()) if not isinstance(node, ir.Star) else (node.value,)
    return {name for item in items for name in _targets(item)}


def _word(node: Any) -> str:
    """The name by which an argument goes: of a variable, an attribute, or the function that gives it."""
    if isinstance(node, ir.Star):
        return ""
    if isinstance(node, ir.Call):
        node = node.func
    if isinstance(node, ir.Attr):
        return str(node.name)
    return str(node.id) if isinstance(node, ir.Name) else ""


def _short(name: str) -> str:
    for long, short in SAME.items():
        if name.startswith(long):
            return short + name[len(long) :]
    return name


def kinds_of(name: str) -> Iterator[str]:
    """What a call of this name shows."""
    yield from EXACT.get(name, ())
    for beginning, kind in BEGINNINGS:
        if name.startswith(beginning):
            yield kind
    if "." in name:
        yield from METHODS.get(name.rpartition(".")[2], ())
