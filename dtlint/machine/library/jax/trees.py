"""Which leaves has a tree, and where do they stand in it?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax.control import leaf_of
from dtlint.machine.library.python.iteration import list_of
from dtlint.machine.values import Tuple, Value


def leaves_with_path(machine: Machine, call: Invocation) -> Value | None:
    """`tree_leaves_with_path(tree)`: pairs; with `extra.structure`, beside what it takes to make the tree again."""
    tree = call.get("tree")
    if tree is None:
        return None
    pairs = list_of(machine, Tuple((machine.fresh("path"), leaf_of(machine, tree))), call.mask)
    return Tuple((pairs, machine.fresh("tree structure"))) if call.row.extra.get("structure") else pairs


MODELS: dict[str, Any] = {"jax_leaves_with_path": leaves_with_path}
