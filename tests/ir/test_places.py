"""Does every node stand where the lowering says it stands?"""

from __future__ import annotations

import sysconfig
from pathlib import Path
from textwrap import dedent

import libcst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dtlint.ir import lowering, nodes
from dtlint.ir.lowering import lower
from dtlint.ir.positions import KINDS, from_ast, from_libcst, parse_ast
from dtlint.ir.stack import on_deep_stack
from tests.ir.programs import Writer
from tests.ir.shape import shape, walk

STDLIB = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = ("asyncio/tasks.py", "contextlib.py", "zipimport.py")
EXPRESSIONS = (nodes.Call, nodes.IfExp, nodes.Lambda, nodes.Comp, nodes.Yield)


def slice_of(text: str, at: tuple[int, int, int, int]) -> str:
    line, column, end_line, end_column = at
    lines = text.split("\n")[line - 1 : end_line]
    lines[-1] = lines[-1][: end_column - 1]
    lines[0] = lines[0][column - 1 :]
    return "\n".join(lines)


def assert_places(text: str) -> None:
    """The text at a node's place, lowered alone, is that node."""
    for node in walk(lower(text, "x.py").body):
        if isinstance(node, EXPRESSIONS):
            alone = lower(f"({slice_of(text, node.at)})", "x.py").body[0]
            assert shape(alone.value, places=False) == shape(node, places=False), slice_of(text, node.at)


def assert_same_as_provider(text: str) -> None:
    fast, exact = from_ast(parse_ast(text), text), from_libcst(libcst.parse_module(text))
    for kind in (*KINDS, "call_names"):
        pairs = list(zip(getattr(fast, kind), getattr(exact, kind), strict=True))
        wrong = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
        if kind == "comprehensions":  # a generator that is a call's only argument: `ast` counts the call's parentheses
            wrong = [(ours, theirs) for ours, theirs in wrong if not _encloses(ours, theirs)]
        assert not wrong, (kind, wrong[:3])


def _encloses(outer: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    assert_same_as_provider(text)
    assert_places(text)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 2**32))
def test_many_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    assert_same_as_provider(text)
    assert_places(text)


@pytest.mark.parametrize("name", SAMPLE)
def test_standard_library(name: str) -> None:
    on_deep_stack(assert_same_as_provider, (STDLIB / name).read_text(encoding="utf-8"))


@pytest.mark.slow
def test_much_of_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_fallback(module: libcst.Module) -> None:
        raise AssertionError("the places of `ast` did not fit")

    monkeypatch.setattr(lowering, "from_libcst", no_fallback)
    files = [path for path in sorted(STDLIB.rglob("*.py")) if not {"site-packages", "lib2to3", "test"} & {*path.parts}]
    checked = 0
    for path in files[::12]:
        text = path.read_text(encoding="utf-8", errors="replace")
        lower(text, path.name)
        on_deep_stack(assert_same_as_provider, text)
        checked += 1
    assert checked > 30


def first(text: str, kind: type[nodes.Node]) -> nodes.Node:
    return next(node for node in walk(lower(dedent(text), "x.py").body) if isinstance(node, kind))


def test_columns_are_code_points() -> None:
    text = "é = '日本'; 𝒳 = f('ß', g())\n"
    calls = [node for node in walk(lower(text, "x.py").body) if isinstance(node, nodes.Call)]
    assert [slice_of(text, call.at) for call in calls] == ["f('ß', g())", "g()"]
    assert calls[0].at == (1, 15, 1, 26)


def test_a_decorated_function_stands_at_its_def() -> None:
    assert first("@a\n@b()\nasync def f(): pass\n", nodes.Function).at == (3, 1, 3, 20)
    assert first("@a\nclass C: pass\n", nodes.Class).at == (2, 1, 2, 14)


def test_an_elif_stands_at_its_keyword() -> None:
    outer = first("if a:\n  pass\nelif b:\n  pass\n", nodes.If)
    assert outer.orelse[0].at == (3, 1, 4, 7)


def test_calls_in_f_strings_stand_at_the_string() -> None:
    text = 'x = g(1) + f"{h(2)} {k(lambda: 3)}"; z(4)\n'
    places = {}

    def collect(value: object) -> None:
        if isinstance(value, tuple):
            for item in value:
                collect(item)
        elif isinstance(value, nodes.Node):
            if isinstance(value, nodes.Call):
                places[value.func.id] = slice_of(text, value.at)
            for name in value.__slots__:
                collect(getattr(value, name))

    collect(lower(text, "x.py").body)
    string = 'f"{h(2)} {k(lambda: 3)}"'
    assert places == {"g": "g(1)", "h": string, "k": string, "z": "z(4)"}


@pytest.mark.parametrize(
    "case",
    [
        "case 1: f()",
        "case (\n    2): f()",
        "case case: f()",
        "case [1,\n   case]: f()",
        "case {'case': 1} if case: f()",
    ],
)
def test_cases(case: str) -> None:
    text = f"match (x,\n y):\n  # case\n  case 0:\n    '''\n  case no: '''\n\n  {case}\n"
    match = first(text, nodes.Match)
    assert [slice_of(text, item.at) for item in match.cases] == ["case 0:\n    '''\n  case no: '''", case]


def test_without_ast_the_places_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Writer(seed).program() for seed in range(12)]
    fast = [shape(lower(text, "x.py")) for text in texts]

    def old_grammar(text: str) -> None:
        raise SyntaxError("unknown to this interpreter")

    monkeypatch.setattr(lowering, "parse_ast", old_grammar)
    assert [shape(lower(text, "x.py")) for text in texts] == fast


def test_places_that_do_not_fit_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(tree: object, text: str) -> object:
        positions = from_ast(tree, text)  # type: ignore[arg-type]
        positions.calls.pop(0)
        positions.call_names.pop(0)
        return positions

    text = "f(1)\ng(2)\n"
    right = shape(lower(text, "x.py"))
    monkeypatch.setattr(lowering, "from_ast", shifted)
    assert shape(lower(text, "x.py")) == right
