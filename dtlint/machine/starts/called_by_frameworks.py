"""Are the hooks of this program called on several ranks?

A framework calls a hook on all ranks it has. That it has several, one of the hooks shows that asks who it is, or has
something done by the first rank alone: then those beside it are called on all of them, too.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import last_name
from dtlint.machine.core import Machine
from dtlint.machine.library.whole_project import any_function


def on_several_ranks(machine: Machine) -> bool:
    """Does a class for a framework, anywhere in the project, know of other ranks?"""
    return any_function(machine, knows_of_others)


def knows_of_others(machine: Machine, _: ir.Function, owner: ir.Class | None) -> bool:
    if owner is None or not for_a_framework(machine, owner):
        return False
    return not owner.tokens.isdisjoint(machine.knowledge.ranks) or not owner.tokens.isdisjoint(for_the_first(machine))


def for_a_framework(machine: Machine, owner: ir.Class) -> bool:
    """Is it derived from a class of which a framework calls hooks?"""
    names: frozenset[str] | None = machine.notes.get("classes with hooks")
    if names is None:
        known = machine.knowledge.types.items()
        names = machine.notes["classes with hooks"] = frozenset(
            name.rpartition(".")[2] for name, kind in known if kind.hooks
        )
    return any(last_name(base) in names for base in owner.bases)


def for_the_first(machine: Machine) -> frozenset[str]:
    """Decorators of what one rank does alone, by their last names."""
    found: frozenset[str] | None = machine.notes.get("decorators of the first rank")
    if found is None:
        found = machine.notes["decorators of the first rank"] = frozenset(
            api.last for api in machine.knowledge.apis.values() if api.does == "decorator" and api.kind == "main"
        )
    return found
