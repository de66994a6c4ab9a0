"""What does each expression of libcst mean? One small function per kind of node, found by its type.

Children are lowered in the order they are written: places are handed out in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any

import libcst

from dtlint.ir import nodes
from dtlint.ir.literals import OPERATORS, is_word, string_value, unescaped
from dtlint.ir.lowering_state import Lowering, Misaligned
from dtlint.ir.positions import has_values

_KEYWORDS: dict[str, object] = {"None": None, "True": True, "False": False}


def expression(node: Any, state: Lowering) -> nodes.Expr:
    return _EXPRESSIONS[node.__class__](node, state)


def optional(node: Any, state: Lowering) -> nodes.Expr | None:
    return None if node is None else _EXPRESSIONS[node.__class__](node, state)


# --- names and literals ------------------------------------------------------------------------------------------


def _name(node: Any, state: Lowering) -> nodes.Expr:
    text = node.value
    if text in _KEYWORDS:
        return nodes.Const(_KEYWORDS[text])
    text = intern(text)
    state.tokens.add(text)
    return nodes.Name(text)


def _attribute(node: Any, state: Lowering) -> nodes.Expr:
    value = _EXPRESSIONS[node.value.__class__](node.value, state)
    name = intern(node.attr.value)
    state.tokens.add(name)
    return nodes.Attr(value, name)


def _integer(node: Any, state: Lowering) -> nodes.Expr:
    text = node.value
    try:
        return nodes.Const(int(text) if text.isdecimal() else int(text, 0))
    except ValueError:  # more digits than the interpreter converts
        return nodes.Unknown("integer", ())


def _float(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Const(float(node.value))


def _imaginary(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Const(complex(node.value.replace("_", "")))


def _ellipsis(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Const(...)


def _string(node: Any, state: Lowering) -> nodes.Expr:
    return _constant(string_value(node.value), state)


def _constant(value: str | bytes, state: Lowering) -> nodes.Expr:
    if is_word(value):
        value = state.token(value)
    return nodes.Const(value)


def _concatenated(node: Any, state: Lowering) -> nodes.Expr:
    if has_values(node):
        return _formatted(node, state)
    pieces: list[str | bytes] = []
    while node.__class__ is libcst.ConcatenatedString:
        left: Any = node.left
        pieces.append(string_value(left.value))
        node = node.right
    pieces.append(string_value(node.value))
    plain = [piece for piece in pieces if isinstance(piece, bytes)]
    if len(plain) == len(pieces):
        return nodes.Const(b"".join(plain))
    return _constant("".join(str(piece) for piece in pieces), state)


def _formatted(node: Any, state: Lowering) -> nodes.Expr:
    """An f-string or t-string, alone or among adjacent strings."""
    outermost = state.inside is None
    if outermost:
        state.inside = state.strings()
    parts: list[nodes.Expr] = []
    while isinstance(node, libcst.ConcatenatedString):
        _parts(node.left, parts, state)
        node = node.right
    _parts(node, parts, state)
    if outermost:
        state.inside = None
    return nodes.FString(tuple(parts))


def _parts(node: Any, parts: list[nodes.Expr], state: Lowering) -> None:
    if isinstance(node, libcst.SimpleString):
        parts.append(nodes.Const(string_value(node.value)))
        return
    raw = "r" in node.start.lower()
    for part in node.parts:
        _part(part, raw, parts, state)


def _part(part: Any, raw: bool, parts: list[nodes.Expr], state: Lowering) -> None:
    if not hasattr(part, "expression"):
        text = part.value.replace("{{", "{").replace("}}", "}")
        if "\\" in text and not raw:
            text = unescaped(text)
        parts.append(nodes.Const(text))
        return
    value = _EXPRESSIONS[part.expression.__class__](part.expression, state)
    if not part.conversion and not part.format_spec:
        parts.append(value)
        return
    spec: list[nodes.Expr] = []
    for inner in part.format_spec or ():
        _part(inner, raw, spec, state)
    parts.append(nodes.Format(value, part.conversion, nodes.FString(tuple(spec)) if spec else None))


# --- operators ---------------------------------------------------------------------------------------------------


def _binary(node: Any, state: Lowering) -> nodes.Expr:
    left = _EXPRESSIONS[node.left.__class__](node.left, state)
    right = _EXPRESSIONS[node.right.__class__](node.right, state)
    return nodes.BinOp(OPERATORS[node.operator.__class__], left, right)


def _unary(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Unary(OPERATORS[node.operator.__class__], expression(node.expression, state))


def _boolean(node: Any, state: Lowering) -> nodes.Expr:
    operator = node.operator.__class__
    values: list[nodes.Expr] = []
    _flatten(node, operator, values, state)
    return nodes.BoolOp(OPERATORS[operator], tuple(values))


def _flatten(node: Any, operator: type, values: list[nodes.Expr], state: Lowering) -> None:
    for side in (node.left, node.right):
        if side.__class__ is libcst.BooleanOperation and side.operator.__class__ is operator:
            _flatten(side, operator, values, state)
        else:
            values.append(expression(side, state))


def _comparison(node: Any, state: Lowering) -> nodes.Expr:
    left = expression(node.left, state)
    pairs = tuple(
        [(OPERATORS[pair.operator.__class__], expression(pair.comparator, state)) for pair in node.comparisons]
    )
    return nodes.Compare(left, pairs)


def _conditional(node: Any, state: Lowering) -> nodes.Expr:
    at = state.inside or state.conditionals()
    body = expression(node.body, state)
    test = expression(node.test, state)
    return nodes.IfExp(test, body, expression(node.orelse, state), at)


def _walrus(node: Any, state: Lowering) -> nodes.Expr:
    target = expression(node.target, state)
    bind(target, state)
    return nodes.Walrus(target, expression(node.value, state))


def _await(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Await(expression(node.expression, state))


def _yield(node: Any, state: Lowering) -> nodes.Expr:
    at = state.inside or state.yields()
    state.yields_here = True
    if isinstance(node.value, libcst.From):
        return nodes.Yield(expression(node.value.item, state), True, at)
    return nodes.Yield(optional(node.value, state), False, at)


# --- calls, indices, functions -----------------------------------------------------------------------------------


def _call(node: Any, state: Lowering) -> nodes.Expr:
    func = _EXPRESSIONS[node.func.__class__](node.func, state)
    if state.inside is not None:
        at = state.inside
    else:
        at, name = state.calls()
        called = func.__class__
        if name != (func.id if called is nodes.Name else func.name if called is nodes.Attr else ""):
            raise Misaligned
    args, keywords = arguments(node.args, state)
    return nodes.Call(func, args, keywords, at)


def arguments(written: Any, state: Lowering) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    args: list[nodes.Expr] = []
    keywords: list[tuple[str | None, nodes.Expr]] = []
    for argument in written:
        value = _EXPRESSIONS[argument.value.__class__](argument.value, state)
        if argument.keyword is not None:
            keywords.append((state.token(argument.keyword.value), value))
        elif argument.star == "":
            args.append(value)
        elif argument.star == "*":
            args.append(nodes.Star(value))
        else:
            keywords.append((None, value))
    return tuple(args), tuple(keywords)


def _subscript(node: Any, state: Lowering) -> nodes.Expr:
    value = expression(node.value, state)
    if isinstance(value, nodes.Name) and value.id == "self":
        state.tokens.add(nodes.OWN_ITEM)
    elements = node.slice
    if len(elements) == 1 and not isinstance(elements[0].comma, libcst.Comma):
        only = elements[0].slice
        if only.__class__ is libcst.Slice or getattr(only, "star", None) is None:
            return nodes.Index(value, _element_of_index(only, state))
    return nodes.Index(value, nodes.Tup(tuple([_element_of_index(element.slice, state) for element in elements])))


def _element_of_index(node: Any, state: Lowering) -> nodes.Expr:
    if node.__class__ is libcst.Slice:
        lower = optional(node.lower, state)
        upper = optional(node.upper, state)
        return nodes.Slice(lower, upper, optional(node.step, state))
    value = expression(node.value, state)
    return nodes.Star(value) if getattr(node, "star", None) else value


def _lambda(node: Any, state: Lowering) -> nodes.Expr:
    at = state.inside or state.lambdas()
    outer = state.yields_here
    params = parameters(node.params, state)
    body = expression(node.body, state)
    state.yields_here = outer
    return nodes.Lambda(params, body, at)


def parameters(node: Any, state: Lowering) -> tuple[nodes.Param, ...]:
    params: list[nodes.Param] = []
    for param in node.posonly_params:
        params.append(_parameter(param, "positional", state))
    for param in node.params:
        params.append(_parameter(param, "normal", state))
    if isinstance(node.star_arg, libcst.Param):
        params.append(_parameter(node.star_arg, "vararg", state))
    for param in node.kwonly_params:
        params.append(_parameter(param, "keyword", state))
    if node.star_kwarg is not None:
        params.append(_parameter(node.star_kwarg, "kwarg", state))
    return tuple(params)


def _parameter(node: Any, kind: str, state: Lowering) -> nodes.Param:
    name = state.token(node.name.value)
    annotation = None if node.annotation is None else expression(node.annotation.annotation, state)
    return nodes.Param(name, kind, optional(node.default, state), annotation)


# --- collections -------------------------------------------------------------------------------------------------


def _elements(node: Any, state: Lowering) -> tuple[nodes.Expr, ...]:
    items: list[nodes.Expr] = []
    for element in node.elements:
        value = expression(element.value, state)
        items.append(nodes.Star(value) if element.__class__ is libcst.StarredElement else value)
    return tuple(items)


def _tuple(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Tup(_elements(node, state))


def _list(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.ListExpr(_elements(node, state))


def _set(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.SetExpr(_elements(node, state))


def _starred(node: Any, state: Lowering) -> nodes.Expr:
    return nodes.Star(expression(node.value, state))


def _dict(node: Any, state: Lowering) -> nodes.Expr:
    items: list[tuple[nodes.Expr | None, nodes.Expr]] = []
    for element in node.elements:
        key = expression(element.key, state) if element.__class__ is libcst.DictElement else None
        items.append((key, expression(element.value, state)))
    return nodes.DictExpr(tuple(items))


def _comprehension(kind: str) -> Callable[[Any, Lowering], nodes.Expr]:
    def lower_comprehension(node: Any, state: Lowering) -> nodes.Expr:
        at = state.inside or state.comprehensions()
        key = None
        if kind == "dict":
            key = optional(getattr(node, "key", None), state)
            element = expression(node.value, state)
        else:
            element = expression(node.elt, state)
        clauses: list[nodes.Clause] = []
        clause = node.for_in
        while clause is not None:
            target = expression(clause.target, state)
            iterable = expression(clause.iter, state)
            conditions = tuple([expression(condition.test, state) for condition in clause.ifs])
            clauses.append(nodes.Clause(target, iterable, conditions, clause.asynchronous is not None))
            clause = clause.inner_for_in
        return nodes.Comp(kind, key, element, tuple(clauses), at)

    return lower_comprehension


def bind(target: nodes.Expr, state: Lowering) -> None:
    """Note the names that assigning to `target` binds."""
    kind = target.__class__
    if kind is nodes.Name:
        state.bound.add(target.id)
    elif kind is nodes.Tup or kind is nodes.ListExpr:
        for item in target.items:
            bind(item, state)
    elif kind is nodes.Star:
        bind(target.value, state)


_BY_NAME: dict[str, Callable[[Any, Lowering], nodes.Expr]] = {
    "Name": _name,
    "Attribute": _attribute,
    "Integer": _integer,
    "Float": _float,
    "Imaginary": _imaginary,
    "Ellipsis": _ellipsis,
    "SimpleString": _string,
    "ConcatenatedString": _concatenated,
    "FormattedString": _formatted,
    "TemplatedString": _formatted,
    "BinaryOperation": _binary,
    "UnaryOperation": _unary,
    "BooleanOperation": _boolean,
    "Comparison": _comparison,
    "IfExp": _conditional,
    "NamedExpr": _walrus,
    "Await": _await,
    "Yield": _yield,
    "Call": _call,
    "Subscript": _subscript,
    "Lambda": _lambda,
    "Tuple": _tuple,
    "List": _list,
    "Set": _set,
    "StarredElement": _starred,
    "Dict": _dict,
    "ListComp": _comprehension("list"),
    "SetComp": _comprehension("set"),
    "DictComp": _comprehension("dict"),
    "StarredDictComp": _comprehension("dict"),
    "GeneratorExp": _comprehension("generator"),
}
# By name: the newest syntax is not in every version of libcst.
_EXPRESSIONS: dict[type, Callable[[Any, Lowering], nodes.Expr]] = {
    getattr(libcst, name): function for name, function in _BY_NAME.items() if hasattr(libcst, name)
}
