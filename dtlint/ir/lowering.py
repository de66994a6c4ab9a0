"""What is this text as a program? libcst's concrete tree in, `dtlint.ir.nodes` out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import libcst

from dtlint.ir import nodes
from dtlint.ir.lowering_state import Lowering, Misaligned, SyntaxProblem
from dtlint.ir.lowering_statements import body_of, docstring_of
from dtlint.ir.positions import Positions, TooDeep, from_ast, from_libcst, parse_ast
from dtlint.ir.stack import on_deep_stack, without_collector

__all__ = ["SyntaxProblem", "lower"]

_DEEP_MESSAGES = ("too many nested parentheses", "too many levels of indentation")
_PAREN_LIMIT = 200  # CPython's own
_BRACKET = re.compile(r"[(\[{]|[)\]}]")
_PYTHON_2 = re.compile(
    r"""
    ^[ \t]*print[ \t]+(?!\() [^\s=.,:;)\]]   # print "x", print x
    | ^[ \t]*print[ \t]*>>                   # print >>sys.stderr, "x"
    | ^[ \t]*exec[ \t]+["'\w]                # exec code
    | ^[ \t]*except[ \t]+[\w.()]+[ \t]*,[ \t]*\w+[ \t]*:   # except Error, e:
    | ^[ \t]*raise[ \t]+[\w.]+[ \t]*,        # raise Error, "x"
    | \b0[0-7]+[lL]?\b(?!\.)                 # 0777
    | \b[0-9]+[lL]\b                         # 10L
    | <> | `[^`\n]+`
    | \b[uU][rR]["']
    """,
    re.VERBOSE | re.MULTILINE,
)


def lower(text: str, path: str) -> nodes.Module:
    """Raises `SyntaxProblem`, and nothing else, when `text` is not a program that can be analysed."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return on_deep_stack(_lower, text, path)


def _lower(text: str, path: str) -> nodes.Module:
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SyntaxProblem(line, 1, "contains NUL bytes")
    try:
        with without_collector():
            return _through_libcst(text, path)  # whose tree is gone before the collector could look at it
    except (RecursionError, MemoryError):
        raise _too_deep(1) from None


def _through_libcst(text: str, path: str) -> nodes.Module:
    positions, complaint = _fast_positions(text)
    if positions is not None:
        with contextlib.suppress(Misaligned):
            return _lower_module(_parse(text, complaint, _SPACE), path, positions)
    module = _parse(text, complaint)
    return _lower_module(module, path, from_libcst(module))


def _fast_positions(text: str) -> tuple[Positions | None, SyntaxError | None]:
    """`ast`'s word on the text: places, or its complaint (it knows only the running interpreter's grammar)."""
    try:
        return from_ast(parse_ast(text), text), None
    except TooDeep as deep:
        raise _too_deep(deep.line) from None
    except SyntaxError as error:
        if any(message in (error.msg or "") for message in _DEEP_MESSAGES):
            raise _too_deep(error.lineno or 1) from None
        _refuse_deep_brackets(text)
        return None, error
    except ValueError:
        return None, None


def _parse(text: str, complaint: SyntaxError | None, left_out: tuple[str, ...] = ()) -> libcst.Module:
    try:
        with _trusted(left_out):
            return libcst.parse_module(text)
    except libcst.ParserSyntaxError as error:
        line, column, message = error.raw_line, error.raw_column + 1, _first_sentence(error)
        if complaint is not None and complaint.lineno:
            line, column, message = complaint.lineno, complaint.offset or 1, complaint.msg
        lines = text.split("\n")
        line = min(max(line, 1), len(lines))
        column = min(max(column, 1), len(lines[line - 1]) + 1)
        if _looks_like_python_2(message, lines[line - 1]):
            message = f"looks like Python 2 ({message})"
        raise SyntaxProblem(line, column, message) from None


# What stands between the words. Only places are counted from it, where `ast` does not tell them.
_SPACE = ("SimpleWhitespace", "ParenthesizedWhitespace", "TrailingWhitespace", "Newline", "EmptyLine", "Comment")


@contextlib.contextmanager
def _trusted(left_out: tuple[str, ...]) -> Iterator[None]:
    """Every node of a tree checks itself when it is made, which is for trees that programs put together. What the
    parser made is valid, and believing it saves a quarter of the time; making no nodes of some kinds saves a tenth."""
    checked = libcst.CSTNode.__post_init__
    kinds = {name: getattr(libcst, name) for name in left_out}
    libcst.CSTNode.__post_init__ = _nothing  # type: ignore
    for name in kinds:
        setattr(libcst, name, _nothing)  # where the parser looks for them
    try:
        yield
    finally:
        libcst.CSTNode.__post_init__ = checked  # type: ignore
        for name, kind in kinds.items():
            setattr(libcst, name, kind)


def _nothing(*node: libcst.CSTNode, **parts: object) -> None:
    pass


def _first_sentence(error: libcst.ParserSyntaxError) -> str:
    return error.message.removeprefix("parser error: ").removeprefix("tokenizer error: ").split("\n")[0]


def _looks_like_python_2(message: str, line: str) -> bool:
    return "Missing parentheses in call to" in message or bool(_PYTHON_2.search(line))


def _refuse_deep_brackets(text: str) -> None:
    """libcst's time and stack grow steeply with nested brackets, and `ast` gave up before counting them."""
    depth = 0
    for found in _BRACKET.finditer(text):
        if found.group() in "([{":
            depth += 1
            if depth > _PAREN_LIMIT:
                raise _too_deep(text.count("\n", 0, found.start()) + 1)
        elif depth:
            depth -= 1


def _too_deep(line: int) -> SyntaxProblem:
    return SyntaxProblem(line, 1, "too deeply nested")


def _lower_module(module: libcst.Module, path: str, positions: Positions) -> nodes.Module:
    state = Lowering(positions)
    try:
        body = body_of(module.body, state)
    except StopIteration:
        raise Misaligned from None
    if not state.exhausted():
        raise Misaligned
    return nodes.Module(path, body, docstring_of(body), frozenset(state.tokens))
