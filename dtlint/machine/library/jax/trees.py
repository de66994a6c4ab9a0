"""Which leaves has a tree, and where do they stand in it?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import key_splits
from dtlint.machine.library.jax.control import leaf_of
from dtlint.machine.library.python.iteration import list_of
from dtlint.machine.values import Tuple, Unknown, Value


def leaves_with_path(machine: Machine, call: Invocation) -> Value | None:
    """`tree_leaves_with_path(tree)`: pairs; with `extra.structure`, beside what it takes to make the tree again."""
    tree = call.get("tree")
    if tree is None:
        return None
    pairs = list_of(machine, Tuple((machine.fresh("path"), leaf_of(machine, tree))), call.mask)
    return Tuple((pairs, machine.fresh("tree structure"))) if call.row.extra.get("structure") else pairs


def replaced(machine: Machine, call: Invocation) -> Value | None:
    """`tree_at(lambda layer: layer.weight, layer, weight)`"""
    tree, new = call.get("pytree"), call.get("replace")
    if tree is None or new is None:
        return None
    key_splits.put_in_place(machine, tree, new)
    if not isinstance(tree, Unknown):
        return None
    tags = tree.tags.union(*(leaf.tags for leaf in jax_facts.leaves(new)))
    return machine.fresh("tree_at", tree.cause or deep_cause(machine, (new,)), tags)


MODELS: dict[str, Any] = {"jax_leaves_with_path": leaves_with_path, "jax_tree_at": replaced}
