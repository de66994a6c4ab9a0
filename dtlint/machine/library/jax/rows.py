"""Is what `vmap` maps over a batch, the rows of which are to meet other numbers each?"""

from __future__ import annotations

from collections.abc import Iterable

from dtlint.machine.core import Machine
from dtlint.machine.library.feeding import picks
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax.facts import ROWS, has
from dtlint.machine.values import Symbol, Unknown, Value

VIEWS = frozenset({"item", "slice", "attr", "call"})
GIVEN = "batch"  # symbol of what loaders give
NUMPY = "numpy.random."


def axis_of(machine: Machine, mapped: Iterable[Value]) -> str:
    """The name of the axis, where what is mapped is a batch of data; without data nobody knows what is to differ.
    Members of a population are meant to meet the same numbers."""
    leaves = [leaf for value in mapped for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)]
    if not any(is_data(machine, leaf) for leaf in leaves) or any(has(leaf, jax_facts.ORIGIN) for leaf in leaves):
        return ""
    machine.objects += 1
    return f"{ROWS}{machine.objects}"


def is_data(machine: Machine, leaf: Unknown) -> bool:
    """Was it read from a file, given by a loader, or drawn by NumPy in its place?"""
    if any(type(tag) is tuple and tag[0] == "loader" for tag in leaf.tags) or picks.stored(machine, leaf):
        return True
    symbol = leaf.symbol
    while symbol.key[0] in VIEWS and len(symbol.key) > 1 and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return symbol.key[0] == GIVEN or by_numpy(symbol)


def by_numpy(symbol: Symbol) -> bool:
    """`rng.normal(size=…)`, perhaps scaled"""
    what, *rest = symbol.key
    if isinstance(what, str) and what.startswith("op "):
        return any(isinstance(part, Symbol) and by_numpy(part) for part in rest)
    if what == "drawn" and rest:
        what = rest[0].key[0] if isinstance(rest[0], Symbol) else rest[0]
    return isinstance(what, str) and what.startswith(NUMPY)
