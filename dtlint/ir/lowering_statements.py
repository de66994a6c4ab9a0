"""What does each statement of libcst mean? One small function per kind of node, found by its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst

from dtlint.ir import nodes
from dtlint.ir.functions import every_node
from dtlint.ir.lowering_expressions import arguments, bind, expression, optional, parameters
from dtlint.ir.lowering_patterns import pattern
from dtlint.ir.lowering_state import Lowering

Body = tuple[nodes.Stmt, ...]

_AUGMENTED: dict[type, str] = {
    libcst.AddAssign: "+",
    libcst.SubtractAssign: "-",
    libcst.MultiplyAssign: "*",
    libcst.MatrixMultiplyAssign: "@",
    libcst.DivideAssign: "/",
    libcst.ModuloAssign: "%",
    libcst.BitAndAssign: "&",
    libcst.BitOrAssign: "|",
    libcst.BitXorAssign: "^",
    libcst.LeftShiftAssign: "<<",
    libcst.RightShiftAssign: ">>",
    libcst.PowerAssign: "**",
    libcst.FloorDivideAssign: "//",
}


def body_of(statements: Iterable[Any], state: Lowering) -> Body:
    body: list[nodes.Stmt] = []
    for statement in statements:
        if statement.__class__ is libcst.SimpleStatementLine:
            for small in statement.body:
                body.append(_STATEMENTS[small.__class__](small, state))
        else:
            body.append(_STATEMENTS[statement.__class__](statement, state))
    return tuple(body)


def _suite(node: Any, state: Lowering) -> Body:
    if node.__class__ is libcst.IndentedBlock:
        return body_of(node.body, state)
    return tuple([_STATEMENTS[small.__class__](small, state) for small in node.body])


def docstring_of(body: Body) -> str | None:
    if body and isinstance(body[0], nodes.ExprStmt) and isinstance(body[0].value, nodes.Const):
        value = body[0].value.value
        if isinstance(value, str):
            return value
    return None


# --- simple statements -------------------------------------------------------------------------------------------


def _expression_statement(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    return nodes.ExprStmt(expression(node.value, state), at)


def _assign(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    targets = tuple([expression(target.target, state) for target in node.targets])
    for target in targets:
        bind(target, state)
    return nodes.Assign(targets, expression(node.value, state), at)


def _augmented(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    target = expression(node.target, state)
    bind(target, state)
    return nodes.AugAssign(target, _AUGMENTED[node.operator.__class__], expression(node.value, state), at)


def _annotated(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    target = expression(node.target, state)
    bind(target, state)
    annotation = expression(node.annotation.annotation, state)
    return nodes.AnnAssign(target, annotation, optional(node.value, state), at)


def _type_alias(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    target = expression(node.name, state)
    bind(target, state)
    return nodes.Assign((target,), expression(node.value, state), at)


def _return(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    return nodes.Return(optional(node.value, state), at)


def _raise(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    value = optional(node.exc, state)
    return nodes.Raise(value, None if node.cause is None else expression(node.cause.item, state), at)


def _break(node: Any, state: Lowering) -> nodes.Stmt:
    return nodes.Break(state.statements())


def _continue(node: Any, state: Lowering) -> nodes.Stmt:
    return nodes.Continue(state.statements())


def _pass(node: Any, state: Lowering) -> nodes.Stmt:
    return nodes.Pass(state.statements())


def _delete(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    target = expression(node.target, state)
    bind(target, state)
    return nodes.Delete(target.items if isinstance(target, nodes.Tup) else (target,), at)


def _assert(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    test = expression(node.test, state)
    return nodes.Assert(test, optional(node.msg, state), at)


def _declaration(kind: type[nodes.Global] | type[nodes.Nonlocal]) -> Callable[[Any, Lowering], nodes.Stmt]:
    def lower_declaration(node: Any, state: Lowering) -> nodes.Stmt:
        names = tuple([state.token(item.name.value) for item in node.names])
        state.declared.update(names)
        return kind(names, state.statements())

    return lower_declaration


# --- imports -----------------------------------------------------------------------------------------------------


def _dotted(node: Any, state: Lowering) -> str:
    if node is None:
        return ""
    if isinstance(node, libcst.Attribute):
        return f"{_dotted(node.value, state)}.{state.token(node.attr.value)}"
    return state.token(node.value)


def _import(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    names = []
    for item in node.names:
        dotted = _dotted(item.name, state)
        alias = None if item.asname is None else state.token(item.asname.name.value)
        state.bound.add(alias or dotted.partition(".")[0])
        names.append((dotted, alias))
    return nodes.Import(tuple(names), at)


def _import_from(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    module = _dotted(node.module, state)
    level = len(node.relative)
    if isinstance(node.names, libcst.ImportStar):
        return nodes.ImportFrom(module, (("*", None),), level, at)
    names = []
    for item in node.names:
        name = _dotted(item.name, state)
        alias = None if item.asname is None else state.token(item.asname.name.value)
        state.bound.add(alias or name)
        names.append((name, alias))
    return nodes.ImportFrom(module, tuple(names), level, at)


# --- control -----------------------------------------------------------------------------------------------------


def _if(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    test = expression(node.test, state)
    body = _suite(node.body, state)
    return nodes.If(test, body, _orelse(node.orelse, state), at)


def _orelse(node: Any, state: Lowering) -> Body:
    if node is None:
        return ()
    if node.__class__ is libcst.If:
        return (_if(node, state),)
    return _suite(node.body, state)


def _enter_loop(state: Lowering) -> set[str]:
    outer, state.bound = state.bound, set()
    return outer


def _leave_loop(outer: set[str], state: Lowering) -> tuple[str, ...]:
    assigned = tuple(sorted(state.bound))
    outer.update(assigned)
    state.bound = outer
    return assigned


def _while(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    outer = _enter_loop(state)
    test = expression(node.test, state)
    body = _suite(node.body, state)
    orelse = _orelse(node.orelse, state)
    return nodes.While(test, body, orelse, at, _leave_loop(outer, state))


def _for(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    outer = _enter_loop(state)
    target = expression(node.target, state)
    bind(target, state)
    iterable = expression(node.iter, state)
    body = _suite(node.body, state)
    orelse = _orelse(node.orelse, state)
    assigned = _leave_loop(outer, state)
    return nodes.For(target, iterable, body, orelse, node.asynchronous is not None, at, assigned)


def _with(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    items = []
    for item in node.items:
        value = expression(item.item, state)
        target = None
        if item.asname is not None:
            target = expression(item.asname.name, state)
            bind(target, state)
        items.append((value, target))
    return nodes.With(tuple(items), _suite(node.body, state), node.asynchronous is not None, at)


def _try(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    body = _suite(node.body, state)
    is_star = node.__class__ is libcst.TryStar
    handlers = tuple([_handler(handler, is_star, state) for handler in node.handlers])
    orelse = _orelse(node.orelse, state)
    final = () if node.finalbody is None else _suite(node.finalbody.body, state)
    return nodes.Try(body, handlers, orelse, final, at)


def _handler(node: Any, is_star: bool, state: Lowering) -> nodes.Handler:
    at = state.statements()
    types = optional(node.type, state)
    name = None
    if node.name is not None:
        name = state.token(node.name.name.value)
        state.bound.add(name)
    return nodes.Handler(types, name, _suite(node.body, state), is_star, at)


def _match(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    subject = expression(node.subject, state)
    return nodes.Match(subject, tuple([_case(case, state) for case in node.cases]), at)


def _case(node: Any, state: Lowering) -> nodes.Case:
    at = state.cases()
    what = pattern(node.pattern, state)
    guard = optional(node.guard, state)
    return nodes.Case(what, guard, _suite(node.body, state), at)


# --- definitions -------------------------------------------------------------------------------------------------


def _function(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    outside = state.tokens, state.bound, state.declared, state.yields_here, state.prefix
    tokens, bound, _, _, prefix = outside
    state.tokens = set()
    decorators = tuple([expression(decorator.decorator, state) for decorator in node.decorators])
    params = parameters(node.params, state)
    returns = None if node.returns is None else expression(node.returns.annotation, state)
    name = state.token(node.name.value)
    qualname = f"{prefix}{name}"
    bound.update(state.bound, (name,))
    state.bound, state.declared, state.yields_here = set(), set(), False
    state.prefix = f"{qualname}.<locals>."
    body = _suite(node.body, state)
    if prefix and calls_its_class(decorators, params, body):
        state.token(prefix.rstrip(".").rpartition(".")[2])
    function = nodes.Function(
        name,
        qualname,
        params,
        returns,
        body,
        decorators,
        docstring_of(body),
        node.asynchronous is not None,
        state.yields_here,
        tuple(sorted(state.bound)),
        tuple(sorted(state.declared)),
        frozenset(state.tokens),
        at,
    )
    tokens.update(state.tokens)
    state.tokens, state.bound, state.declared, state.yields_here, state.prefix = outside
    return function


def calls_its_class(
    decorators: tuple[nodes.Expr, ...], params: tuple[nodes.Param, ...], body: tuple[nodes.Stmt, ...]
) -> bool:
    """`cls()` in a class method makes one of the class, as its own name would."""
    if not params or not any(isinstance(one, nodes.Name) and one.id == "classmethod" for one in decorators):
        return False
    return any(
        isinstance(one, nodes.Call) and isinstance(one.func, nodes.Name) and one.func.id == params[0].name
        for one in every_node(body)
    )


def _class(node: Any, state: Lowering) -> nodes.Stmt:
    at = state.statements()
    outside = state.tokens, state.bound, state.declared, state.prefix
    tokens, bound, _, prefix = outside
    state.tokens = set()
    decorators = tuple([expression(decorator.decorator, state) for decorator in node.decorators])
    bases, keywords = arguments((*node.bases, *node.keywords), state)
    name = state.token(node.name.value)
    qualname = f"{prefix}{name}"
    bound.add(name)
    state.bound, state.declared, state.prefix = set(), set(), f"{qualname}."
    body = _suite(node.body, state)
    made = nodes.Class(
        name, qualname, bases, keywords, body, decorators, docstring_of(body), frozenset(state.tokens), at
    )
    tokens.update(state.tokens)
    state.tokens, state.bound, state.declared, state.prefix = outside
    return made


_BY_NAME: dict[str, Callable[[Any, Lowering], nodes.Stmt]] = {
    "Expr": _expression_statement,
    "Assign": _assign,
    "AugAssign": _augmented,
    "AnnAssign": _annotated,
    "TypeAlias": _type_alias,
    "Return": _return,
    "Raise": _raise,
    "Break": _break,
    "Continue": _continue,
    "Pass": _pass,
    "Del": _delete,
    "Assert": _assert,
    "Global": _declaration(nodes.Global),
    "Nonlocal": _declaration(nodes.Nonlocal),
    "Import": _import,
    "LazyImport": _import,
    "ImportFrom": _import_from,
    "LazyImportFrom": _import_from,
    "If": _if,
    "While": _while,
    "For": _for,
    "With": _with,
    "Try": _try,
    "TryStar": _try,
    "Match": _match,
    "FunctionDef": _function,
    "ClassDef": _class,
}
# By name: the newest syntax is not in every version of libcst.
_STATEMENTS: dict[type, Callable[[Any, Lowering], nodes.Stmt]] = {
    getattr(libcst, name): function for name, function in _BY_NAME.items() if hasattr(libcst, name)
}
