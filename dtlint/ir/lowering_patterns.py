"""What does a `case` pattern of libcst compare, and which names does it bind?"""

from __future__ import annotations

from typing import Any

import libcst

from dtlint.ir import nodes
from dtlint.ir.lowering_expressions import expression
from dtlint.ir.lowering_state import Lowering


def pattern(node: Any, state: Lowering) -> nodes.Pattern:
    """Class, mapping and sequence patterns are "other": `expr` is the class, `children` what they contain."""
    if isinstance(node, (libcst.MatchValue, libcst.MatchSingleton)):
        return nodes.Pattern("value", expression(node.value, state), None, ())
    if isinstance(node, libcst.MatchAs):
        return _as(node, state)
    if isinstance(node, libcst.MatchOr):
        return nodes.Pattern("or", None, None, tuple([pattern(item.pattern, state) for item in node.patterns]))
    if isinstance(node, libcst.MatchSequence):
        items = [
            _capture(i, state) if isinstance(i, libcst.MatchStar) else pattern(i.value, state) for i in node.patterns
        ]
        return nodes.Pattern("other", None, None, tuple(items))
    if isinstance(node, libcst.MatchMapping):
        return _mapping(node, state)
    if isinstance(node, libcst.MatchClass):
        return _class(node, state)
    return nodes.Pattern("other", None, None, ())


def _capture(node: Any, state: Lowering) -> nodes.Pattern:
    if node.name is None:
        return nodes.Pattern("wildcard", None, None, ())
    name = state.token(node.name.value)
    state.bound.add(name)
    return nodes.Pattern("capture", None, name, ())


def _as(node: libcst.MatchAs, state: Lowering) -> nodes.Pattern:
    if node.pattern is None:
        return _capture(node, state)
    inner = pattern(node.pattern, state)
    return nodes.Pattern("other", None, None, (inner, _capture(node, state)))


def _mapping(node: libcst.MatchMapping, state: Lowering) -> nodes.Pattern:
    children = []
    for element in node.elements:
        expression(element.key, state)  # for its tokens
        children.append(pattern(element.pattern, state))
    if node.rest is not None:
        name = state.token(node.rest.value)
        state.bound.add(name)
        children.append(nodes.Pattern("capture", None, name, ()))
    return nodes.Pattern("other", None, None, tuple(children))


def _class(node: libcst.MatchClass, state: Lowering) -> nodes.Pattern:
    kind = expression(node.cls, state)
    children = [pattern(item.value, state) for item in node.patterns]
    for item in node.kwds:
        state.token(item.key.value)
        children.append(pattern(item.pattern, state))
    return nodes.Pattern("other", kind, None, tuple(children))
