"""Which expressions and small functions of real code can be run on their own, and on which inputs?

Only what reads nothing and changes nothing outside of itself is taken: builtins that compute, methods of texts, numbers
and containers, a few modules. It is run here, so the lists (allowed.toml) say what may be called, not what may not.
"""

from __future__ import annotations

import ast
import builtins
import copy
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import configuration

ALLOWED = configuration.load(Path(__file__).with_name("allowed.toml"))
BUILTINS = frozenset(ALLOWED["builtins"])
MODULES = frozenset(ALLOWED["modules"])
METHODS = frozenset(ALLOWED["methods"])
ASKS_THE_DISK = frozenset(ALLOWED["asks_the_disk"])
NODES = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.IfExp, ast.Subscript, ast.Slice, ast.List),
    *(ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
    *(ast.JoinedStr, ast.FormattedValue, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Starred, ast.Lambda),
    *(ast.arguments, ast.arg, ast.keyword, ast.Attribute, ast.NamedExpr, ast.operator, ast.unaryop, ast.boolop),
    *(ast.cmpop, ast.FunctionDef, ast.Assign, ast.AugAssign, ast.Return, ast.If, ast.For, ast.While, ast.Break),
    *(ast.Continue, ast.Pass, ast.Expr, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert),
)
INPUTS: tuple[Any, ...] = (
    *(7, 3, 2, 0, -1, 2.5, True, False, None, "", "adam", "step-12", "run/model_3.txt", "1,2,3", "a=1 b=2"),
    *([], ["b", "a", "c"], [3, 1, 2, 3], [("a", 1), ("b", 2)], [[1, 2], [3]], ["x_1.pt", "y_20.pt"]),
    *((4, 5), ("n", 3), {}, {"lr": 0.1, "name": "x", "steps": 5}, {"a": [1, 2], "b": []}, {"b": 2, "a": 1}),
)
TRIES, OTHERS = 120, 20  # of inputs: for one that works, and for another that gives something else
MOST_INPUTS, MOST_NODES, MOST_LINES = 4, 200, 25
SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Sample:
    """`text` computes `result` from its inputs, whose values are written in Python. `other`, of one input, gives
    `other_result`."""

    text: str
    inputs: tuple[tuple[str, str], ...]
    result: Any
    other: tuple[str, str] | None
    other_result: Any
    where: str
    times: int  # how often an expression of this shape was met


class TimeOver(Exception):
    pass


@contextmanager
def limited() -> Iterator[None]:
    def over(*_: Any) -> None:
        raise TimeOver

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def samples(files: list[Path], seed: int = 1) -> list[Sample]:
    """One for each shape that the files have, names and constants aside."""
    chance, met = random.Random(seed), Counter[str]()
    found: dict[str, Sample | None] = {}
    for file in files:
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, UnicodeDecodeError):
            continue
        imports = imported(tree)
        for node in candidates(tree):
            node = with_plain_names(node, imports)
            if not allowed(node, imports):
                continue
            shape = shape_of(node)
            met[shape] += 1
            if shape not in found:
                found[shape] = sample_of(node, imports, chance, f"{file}:{node.lineno}")
    return [
        Sample(one.text, one.inputs, one.result, one.other, one.other_result, one.where, met[shape])
        for shape, one in found.items()
        if one is not None
    ]


def imported(tree: ast.Module) -> dict[str, str]:
    """The names of modules that only compute, with the lines that import them."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name.split(".")[0]: f"import {one.name}" for one in node.names if one.name in MODULES}
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES and not node.level:
            found |= {one.name: f"from {node.module} import {one.name}" for one in node.names if one.asname is None}
    return found


def candidates(tree: ast.Module) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.Return | ast.AugAssign) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test
        elif isinstance(node, ast.For):
            yield node.iter
        elif isinstance(node, ast.Call):
            yield from (one for one in node.args if not isinstance(one, ast.Starred))
            yield from (one.value for one in node.keywords)
        elif isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno < MOST_LINES:
            plain = not node.decorator_list and not node.args.vararg and not node.args.kwarg
            if plain and any(isinstance(one, ast.Return) and one.value for one in ast.walk(node)):
                yield node


class PlainNames(ast.NodeTransformer):
    """`options.steps` is an input like `steps`; a method that is called is not."""

    def __init__(self, imports: dict[str, str], bound: frozenset[str]) -> None:
        self.imports, self.bound = imports, bound

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        names = dotted(node)
        if not names or names[0] in self.imports:
            return node
        if names[0] in self.bound:
            self.generic_visit(node)
            return node
        return ast.copy_location(ast.Name("_".join(names), ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            if (dotted(node.func) or ("",))[0] not in self.imports:
                node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        return node


def with_plain_names(node: Any, imports: dict[str, str]) -> Any:
    node = copy.deepcopy(node)
    for one in ast.walk(node):
        if isinstance(one, ast.arg):
            one.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.returns = None
    return ast.fix_missing_locations(PlainNames(imports, frozenset(bound_in(node))).visit(node))


def dotted(node: ast.expr) -> tuple[str, ...]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def bound_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.arg):
            yield one.arg
        elif isinstance(one, ast.ExceptHandler) and one.name:
            yield one.name


def allowed(node: ast.AST, imports: dict[str, str]) -> bool:
    nodes = list(ast.walk(node))
    if isinstance(node, ast.Name | ast.Constant | ast.Attribute) or len(nodes) > MOST_NODES:
        return False
    return all(isinstance(one, NODES) for one in nodes) and all(
        may_call(one.func, imports) for one in nodes if isinstance(one, ast.Call)
    )


def may_call(callee: ast.expr, imports: dict[str, str]) -> bool:
    if isinstance(callee, ast.Name):
        error = isinstance(getattr(builtins, callee.id, None), type) and callee.id.endswith("Error")
        return callee.id in BUILTINS or callee.id in imports or error
    names = dotted(callee)
    if names and names[0] in imports:
        return names[0] != "os" or (names[1] == "path" and names[-1] not in ASKS_THE_DISK)
    return isinstance(callee, ast.Attribute) and callee.attr in METHODS


def shape_of(node: ast.AST) -> str:
    node, names = copy.deepcopy(node), dict[str, str]()
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not hasattr(builtins, one.id):
            one.id = names.setdefault(one.id, f"name{len(names)}")
        elif isinstance(one, ast.arg):
            one.arg = names.setdefault(one.arg, f"name{len(names)}")
        elif isinstance(one, ast.Constant):
            one.value = type(one.value).__name__
        elif isinstance(one, ast.FunctionDef):
            one.name = "function"
    return ast.dump(node)


def sample_of(node: Any, imports: dict[str, str], chance: random.Random, where: str) -> Sample | None:
    loaded = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    free = {name for name in loaded - set(bound_in(node)) - imports.keys() if not hasattr(builtins, name)}
    head = "".join(f"{imports[name]}\n" for name in sorted(loaded & imports.keys()))
    if isinstance(node, ast.FunctionDef):
        given = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        free = (free - {node.name}) | set(given)
        text = f"{ast.unparse(node)}\nresult = {node.name}({', '.join(f'{name}={name}' for name in given)})\n"
    else:
        text = f"result = {ast.unparse(node)}\n"
    names = sorted(free)
    if not names or len(names) > MOST_INPUTS:
        return None
    held, result = working(head + text, names, chance)
    if held is None:
        return None
    other, other_result = changed(head + text, held, result, chance)
    return Sample(head + text, tuple((name, repr(held[name])) for name in names), result, other, other_result, where, 1)


def working(text: str, names: list[str], chance: random.Random) -> tuple[dict[str, Any] | None, Any]:
    """Inputs with which it gives something, and what; if possible, something that is not nothing."""
    found: dict[str, Any] | None = None
    given: Any = None
    for _ in range(TRIES):
        held = {name: chance.choice(INPUTS) for name in names}
        result = run(text, held)
        if plain(result):
            found, given = held, result
            if result not in (None, False, [], {}, "", ()):
                break
    return found, given


def changed(text: str, held: dict[str, Any], result: Any, chance: random.Random) -> tuple[tuple[str, str] | None, Any]:
    """Another value of one input, with which it gives something else."""
    for name in held:
        for _ in range(OTHERS):
            value = chance.choice(INPUTS)
            if type(value) is not type(held[name]) or value == held[name]:
                continue
            other = run(text, held | {name: value})
            if plain(other) and repr(other) != repr(result):
                return (name, repr(value)), other
    return None, None


FAILED = object()


def run(text: str, held: dict[str, Any]) -> Any:
    scope: dict[str, Any] = {name: copy.deepcopy(value) for name, value in held.items()}  # each is a thing of its own
    try:
        with limited():
            exec(text, scope)
    except Exception:
        return FAILED
    return scope.get("result", FAILED)


def plain(value: Any, deep: int = 4) -> bool:
    if value is None or isinstance(value, bool | int | float | str):
        return len(str(value)) < 200
    if deep and type(value) in (list, tuple):
        return len(value) < 30 and all(plain(one, deep - 1) for one in value)
    if deep and type(value) is dict:
        return len(value) < 30 and all(plain(one, deep - 1) for pair in value.items() for one in pair)
    return False
