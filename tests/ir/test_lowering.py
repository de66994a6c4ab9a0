"""Does the program tree say what the text says?"""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import libcst
import pytest

from dtlint.ir import nodes
from dtlint.ir.lowering import SyntaxProblem, lower


def body(text: str) -> tuple[Any, ...]:
    return lower(dedent(text), "x.py").body


def value(text: str) -> Any:
    return body(text)[0].value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a' \"b\" '''c'''", "abc"),
        ("b'a' b'\\x00'", b"a\x00"),
        (r"r'\n' '\n'", "\\n\n"),
        ("0x_ff", 255),
        ("00", 0),
        ("1_000.5e1", 10005.0),
        ("2J", 2j),
        ("...", ...),
        ("True", True),
        ("None", None),
        ("'\\ud800'", "\ud800"),
        ("''", ""),
        ("''''''", ""),
        ('\'"""\'', '"""'),
    ],
)
def test_constants(text: str, expected: object) -> None:
    node = value(text)
    assert isinstance(node, nodes.Const)
    assert node.value == expected
    assert type(node.value) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(*a, 1, k=2, **b)", "Call(func=Name(id='f'), args=(Star(value=Name(id='a')), Const(value=1)), "
         "keywords=(('k', Const(value=2)), (None, Name(id='b'))))"),
        ("a and b and c or d", "BoolOp(op='or', values=(BoolOp(op='and', values=(Name(id='a'), Name(id='b'), "
         "Name(id='c'))), Name(id='d')))"),
        ("a < b not in c", "Compare(left=Name(id='a'), pairs=(('<', Name(id='b')), ('not in', Name(id='c'))))"),
        ("x[1:, *y]", "Index(value=Name(id='x'), index=Tup(items=(Slice(lower=Const(value=1), upper=None, step=None), "
         "Star(value=Name(id='y')))))"),
        ("x[1,]", "Index(value=Name(id='x'), index=Tup(items=(Const(value=1),)))"),
        ("f'a{b!r:>{c}}{{d' 'e'", "FString(parts=(Const(value='a'), Format(value=Name(id='b'), conversion='r', "
         "spec=FString(parts=(Const(value='>'), Name(id='c')))), Const(value='{d'), Const(value='e')))"),
        ("{**a, 'b': c}", "DictExpr(items=((None, Name(id='a')), (Const(value='b'), Name(id='c'))))"),
        ("(x := y)", "Walrus(target=Name(id='x'), value=Name(id='y'))"),
        ("lambda a, /, b=1, *c, d, **e: 0", "Lambda(params=("
         "Param(name='a', kind='positional', default=None, annotation=None), "
         "Param(name='b', kind='normal', default=Const(value=1), annotation=None), "
         "Param(name='c', kind='vararg', default=None, annotation=None), "
         "Param(name='d', kind='keyword', default=None, annotation=None), "
         "Param(name='e', kind='kwarg', default=None, annotation=None)), body=Const(value=0))"),
        ("not -a ** b", "Unary(op='not', value=Unary(op='-', value=BinOp(op='**', left=Name(id='a'), "
         "right=Name(id='b'))))"),
    ],
)  # fmt: skip
def test_expressions(text: str, expected: str) -> None:
    assert repr(value(text)) == expected


@pytest.mark.skipif(not hasattr(libcst, "TemplatedString"), reason="this libcst knows no t-strings")
def test_t_strings_are_lowered_as_f_strings() -> None:
    assert repr(value("t'{a} b'")) == "FString(parts=(Name(id='a'), Const(value=' b')))"


def test_statements_on_one_line_are_separate() -> None:
    first, second, third = body("a(); b()\nif x: c(); d()\n")
    assert (first.at, second.at) == ((1, 1, 1, 4), (1, 6, 1, 9))
    assert [item.at for item in third.body] == [(2, 7, 2, 10), (2, 12, 2, 15)]


def test_qualified_names() -> None:
    (outer,) = body("class A:\n def f(self):\n  def g(): pass\n  class B:\n   def h(self): pass\n")
    method = outer.body[0]
    inner, nested = method.body
    assert [outer.qualname, method.qualname, inner.qualname, nested.qualname, nested.body[0].qualname] == [
        "A",
        "A.f",
        "A.f.<locals>.g",
        "A.f.<locals>.B",
        "A.f.<locals>.B.h",
    ]


def test_what_a_function_binds() -> None:
    (function,) = body(
        """
        def f(a, b=(z := 1)):
            global g1
            nonlocal n1
            import p.q, r as s
            from t import u as v
            for i, (j, *k) in x: l = 1
            with m as o: w: int
            try: pass
            except E as e: pass
            def inner(): hidden = 1
            class Inner: hidden2 = 1
            [h for h in (y := 1)]
            aug += 1
            match m:
                case {"k": c1, **c2} | [c3, *c4] | K(c5, q=c6) as c7: pass
        """
    )
    assert function.assigned == (
        "Inner", "aug", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "e", "i", "inner", "j", "k", "l", "o", "p", "s", "v",
        "w", "y",
    )  # fmt: skip
    assert function.globals == ("g1", "n1")


def test_what_a_loop_binds() -> None:
    (loop,) = body("while (a := f()):\n  for b in c:\n    d = 1\n  def g(): e = 1\nelse:\n  h = 1\n")
    assert loop.assigned == ("a", "b", "d", "g", "h")
    assert loop.body[0].assigned == ("b", "d")


def test_generators_are_told_by_their_own_yield() -> None:
    one, two, three = body("def a():\n yield\ndef b():\n def c(): yield\ndef d():\n lambda: (yield)\n")
    assert [one.is_generator, two.is_generator, two.body[0].is_generator, three.is_generator] == [
        True,
        False,
        True,
        False,
    ]


def test_tokens() -> None:
    module = lower(
        "import os.path as p\ndef f(x):\n  getattr(dist, 'all_reduce')(op=y.z)\n  'not one'\ng('" + "q" * 41 + "')", "x"
    )
    assert module.body[1].tokens == {"f", "x", "getattr", "dist", "all_reduce", "op", "y", "z"}
    assert module.tokens == module.body[1].tokens | {"os", "path", "p", "g"}


def test_docstrings() -> None:
    module = lower("'''m'''\ndef f():\n 'f'\nclass C:\n b'no'\n", "x.py")
    assert [module.docstring, module.body[1].docstring, module.body[2].docstring] == ["m", "f", None]


def test_patterns() -> None:
    (match,) = body(
        "match x:\n case 1 | None: a\n case A.b: a\n case _: a\n case y: a\n case [c, *_]: a\n case K(k=2) as z: a\n"
    )
    patterns = [case.pattern for case in match.cases]
    assert [pattern.kind for pattern in patterns] == ["or", "value", "wildcard", "capture", "sequence", "as"]
    assert [child.kind for child in patterns[0].children] == ["value", "value"]
    assert patterns[3].name == "y"
    assert [child.kind for child in patterns[4].children] == ["capture", "rest"]
    inner, name = patterns[5].children
    assert [(child.kind, child.name) for child in inner.children] == [("field", "k")]
    assert (repr(inner.expr), name.name) == ("Name(id='K')", "z")


def test_try_star_async_and_type_alias() -> None:
    (attempt,) = body("try: pass\nexcept* E: f()\n")
    assert attempt.handlers[0].is_star
    (function,) = body("async def f():\n async for a in b: pass\n async with c: pass\n return [x async for x in y]\n")
    assert function.is_async and function.body[0].is_async and function.body[1].is_async
    assert function.body[2].value.clauses[0].is_async
    assert repr(body("type X[T: int] = list[T]\n")[0]).startswith("Assign(targets=(Name(id='X'),)")
    (generic,) = body("class A[T: g()](B): pass\n")
    assert repr(generic.bases) == "(Name(id='B'),)"


def test_new_f_strings() -> None:
    assert repr(value("f'{x[\"a\" + f'{y}']}'")).startswith("FString(")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("x = 1\ny = (\n", 2, 5, "never closed"),
        ("print 'x'\n", 1, 1, "looks like Python 2"),
        ("try:\n  pass\nexcept A, e:\n  print e\n", 3, 8, "looks like Python 2"),
        ("x = 0777\n", 1, 5, "looks like Python 2"),
        ("raise E, 'x'\n", 1, 8, "looks like Python 2"),
        ("def f(:\n", 1, 7, "invalid syntax"),
        ("a\nb\0c", 2, 1, "NUL"),
        ("if x:\npass\n", 2, 1, "expected an indented block"),
    ],
)
def test_syntax_problems(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        lower(text, "x.py")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in caught.value.message


DEEP = {
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "brackets": lambda n: "[" * n + "]" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "chained calls": lambda n: "f" + "()" * n,
    "not": lambda n: "not " * n + "x",
    "minus": lambda n: "-" * n + "x",
    "sums": lambda n: "+".join(["a"] * n),
    "attributes": lambda n: "a" + ".b" * n,
    "elif": lambda n: "if a: pass\n" + "elif b: pass\n" * n,
    "blocks": lambda n: "".join(" " * i + "if a:\n" for i in range(n)) + " " * n + "pass",
    "lambdas": lambda n: "lambda:" * n + "0",
    "conditionals": lambda n: "a if b else " * n + "0",
    "broken brackets": lambda n: "x = = 1\n" + "(" * n,
}


@pytest.mark.parametrize(
    ("kind", "depth"),
    [(kind, depth) for kind in sorted(DEEP) for depth in (2_000, 50_000) if (kind, depth) != ("blocks", 50_000)],
)
def test_two_thousand_levels_are_refused(kind: str, depth: int) -> None:
    with pytest.raises(SyntaxProblem, match="too deeply nested"):
        lower(DEEP[kind](depth) + "\n", "x.py")


def test_ninety_levels_are_fine() -> None:
    for kind in ("parentheses", "not", "sums", "attributes", "elif", "lambdas", "conditionals"):
        assert len(lower(DEEP[kind](90) + "\n", "x.py").body) == 1


def test_a_thousand_adjacent_strings_are_not_deep() -> None:
    assert value("(" + "'a' " * 1000 + ")").value == "a" * 1000


def test_line_ends_and_marks_do_not_move_anything() -> None:
    plain = lower("a = 1\nb = f()\n", "x.py")
    for text in ("a = 1\r\nb = f()\r\n", "a = 1\rb = f()\r", "\ufeffa = 1\nb = f()"):
        other = lower(text, "x.py")
        assert [item.at for item in other.body] == [item.at for item in plain.body]
        assert other.body[1].value.at == (2, 5, 2, 8)
