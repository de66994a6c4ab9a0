"""Whose parameters are these? What a model gives, what lists and iterators make of it, what an optimizer keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import CHAIN, ITEMS, Object, Symbol, Unknown, Value

GIVEN_BY = ("torch.nn.Module.parameters", "torch.nn.Module.named_parameters")
GROUPS, HELD = "parameter groups", "params"
DEEP = 12
# symbols of what has the same items
WALKED = frozenset({"list", "tuple", "set", "values", "merged", ITEMS, CHAIN, "builtins.filter"})


def owners_of(value: Value) -> tuple[Any, ...]:
    """The modules whose parameter it may be: `for parameter in model.parameters()`, also with its name, or out of
    what was made of them."""
    return tuple(dict.fromkeys(owners(value.symbol, DEEP, False))) if isinstance(value, Unknown) else ()


def owners(symbol: Symbol, depth: int, named: bool) -> Iterator[Any]:
    """`named`: what stands in a group of an optimizer was asked for by the name of its parameters."""
    kind, *parts = symbol.key
    if kind in GIVEN_BY:
        yield from parts[:1]
    elif depth and (kind != GROUPS or named):
        named = named or (kind == "item" and HELD in parts[1:])
        for part in inside(kind, parts):
            yield from owners(part, depth - 1, named)


def inside(kind: str, parts: list[Any]) -> Iterator[Symbol]:
    """Where its items come from."""
    if kind == "item":
        parts = parts[:1]
    elif kind == "comprehension" and isinstance(parts[0], int):
        parts = parts[1:]
    elif kind == "comprehension":  # what it gives, a pair where it makes a dictionary, then what it walks over
        parts = list(parts[0][-1:]) if isinstance(parts[0], tuple) else parts[:1]
    elif kind == "for each":
        parts = parts[-1:]
    elif kind == "phi":
        parts = parts[1:]
    elif kind not in WALKED and kind != GROUPS:
        return
    yield from (part for part in parts if isinstance(part, Symbol))


def groups(machine: Machine, call: Invocation) -> Value:
    """`optimizer.param_groups`: made of the parameters that the optimizer was given, in groups or not."""
    optimizer = call.receiver
    assert optimizer is not None
    made = optimizer.facts.get("call") if isinstance(optimizer, Object) else None
    given = made.get(HELD) if isinstance(made, Invocation) else None
    known = containers.items_of(machine, given) if given is not None else None
    listed = (in_group(one) for one in known or (given,))
    held = (containers.held_in(one) for one in listed if one is not None)
    return machine.unknown(GROUPS, token(optimizer), *map(token, held))


def in_group(given: Value | None) -> Value | None:
    """`{"params": head.parameters(), "lr": 1e-3}`"""
    return given.attributes.get(("key", HELD)) if isinstance(given, Object) and given.kind == "dict" else given


MODELS: dict[str, Any] = {"parameter_groups": groups}
