"""What does a class of the program give that makes one of itself as its library's base does?

`Translator.from_pretrained(name)` of a class derived from one of transformers, `Net.load_from_checkpoint(path)` of a
LightningModule: an instance of the class, made by its constructor.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.functions import instances
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.names import classes
from dtlint.machine.values import Bound, ClassRef, External, FunctionRef, Value


def maker(machine: Machine, kind: ClassRef, name: str) -> Value | None:
    """A pack may know the very base, or nothing but another class of its library that is asked in the same way."""
    owners = makers(machine).get(name)
    if not owners:
        return None
    for base in classes.external_bases(machine, kind):
        if base.partition(".")[0] in owners:
            return Bound(External(f"{base}.{name}"), kind)
    return None


def makers(machine: Machine) -> dict[str, set[str]]:
    """Methods that make an instance of the class they are asked of, with the libraries that have classes like that."""
    found: dict[str, set[str]] | None = machine.notes.get("own kind")
    if found is None:
        found = machine.notes["own kind"] = {}
        for row in machine.knowledge.apis.values():
            owner = row.name.rpartition(".")[0]
            if row.does == "make" and row.type == owner and owner in machine.knowledge.types:
                found.setdefault(row.last, set()).add(owner.partition(".")[0])
    return found


def made(machine: Machine, kind: ClassRef, keywords: Keywords, mask: int, node: ir.Call | None) -> Value:
    """The constructor gets those options that it names, and finds the others where the weights are."""
    initialiser = classes.in_class(machine, kind, "__init__")
    taken = initialiser.node.params if isinstance(initialiser, FunctionRef) else ()
    names = {param.name for param in taken}
    return instances.instantiate(machine, kind, (), tuple(one for one in keywords if one[0] in names), mask, node)
