"""What does a `case` pattern of libcst compare, and which names does it bind?"""

from __future__ import annotations

from typing import Any

import libcst

from dtlint.ir import nodes
from dtlint.ir.lowering_expressions import expression
from dtlint.ir.lowering_state import Lowering


def pattern(node: Any, state: Lowering) -> nodes.Pattern:
    if isinstance(node, (libcst.MatchValue, libcst.MatchSingleton)):
        return nodes.Pattern("value", expression(node.value, state), None, ())
    if isinstance(node, libcst.MatchAs):
        return _as(node, state)
    if isinstance(node, libcst.MatchOr):
        return nodes.Pattern("or", None, None, tuple([pattern(item.pattern, state) for item in node.patterns]))
    if isinstance(node, libcst.MatchSequence):
        return nodes.Pattern("sequence", None, None, tuple([_item(item, state) for item in node.patterns]))
    if isinstance(node, libcst.MatchMapping):
        return _mapping(node, state)
    if isinstance(node, libcst.MatchClass):
        return _class(node, state)
    return nodes.Pattern("other", None, None, ())


def _capture(name: Any, state: Lowering, kind: str = "capture") -> nodes.Pattern:
    if name is None:
        return nodes.Pattern("wildcard" if kind == "capture" else kind, None, None, ())
    bound = state.token(name.value)
    state.bound.add(bound)
    return nodes.Pattern(kind, None, bound, ())


def _item(node: Any, state: Lowering) -> nodes.Pattern:
    return _capture(node.name, state, "rest") if isinstance(node, libcst.MatchStar) else pattern(node.value, state)


def _as(node: libcst.MatchAs, state: Lowering) -> nodes.Pattern:
    if node.pattern is None:
        return _capture(node.name, state)
    inner = pattern(node.pattern, state)
    return nodes.Pattern("as", None, None, (inner, _capture(node.name, state)))


def _mapping(node: libcst.MatchMapping, state: Lowering) -> nodes.Pattern:
    children = []
    for element in node.elements:
        key = expression(element.key, state)
        children.append(nodes.Pattern("key", key, None, (pattern(element.pattern, state),)))
    if node.rest is not None:
        children.append(_capture(node.rest, state, "rest"))
    return nodes.Pattern("mapping", None, None, tuple(children))


def _class(node: libcst.MatchClass, state: Lowering) -> nodes.Pattern:
    kind = expression(node.cls, state)
    children = [pattern(item.value, state) for item in node.patterns]
    for item in node.kwds:
        name = state.token(item.key.value)
        children.append(nodes.Pattern("field", None, name, (pattern(item.pattern, state),)))
    return nodes.Pattern("class", kind, None, tuple(children))
