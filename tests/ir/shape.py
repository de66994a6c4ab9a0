"""Trees as nested tuples, for comparing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes


def shape(value: Any, places: bool = True) -> Any:
    if isinstance(value, tuple):
        return tuple(shape(item, places) for item in value)
    if isinstance(value, nodes.Node):
        fields = [name for name in value.__slots__ if places or name not in ("at", "tokens", "path")]
        return (type(value).__name__, *(shape(getattr(value, name), places) for name in fields))
    if isinstance(value, frozenset):
        return ("frozenset", tuple(sorted(value)))
    return (type(value).__name__, repr(value))  # 0.0 is not -0.0, 1 is not True


def walk(value: Any) -> Iterator[nodes.Node]:
    """Every node below, not looking into f-strings."""
    if isinstance(value, tuple):
        for item in value:
            yield from walk(item)
    elif isinstance(value, nodes.Node):
        yield value
        if not isinstance(value, nodes.FString):
            for name in value.__slots__:
                yield from walk(getattr(value, name))
