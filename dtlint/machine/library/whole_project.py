"""Is there a function anywhere in the project of which this is true?

Whoever asks depends on the answer alone, not on the files: of a file that has changed it is asked again, and what
another file has answered stands.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.machine.core import Machine
from dtlint.project.changes import ASKED

Question = Callable[[Machine, ir.Function, ir.Class | None], bool]


def any_function(machine: Machine, question: Question) -> bool:
    name = f"{question.__module__}:{question.__qualname__}"
    machine.project.looked.add(ASKED + name)
    found: bool | None = machine.notes.get(name)
    if found is None:
        found = machine.notes[name] = any(in_file(machine, question, path) for path in machine.project.selected)
    return found


def in_file(machine: Machine, question: Question, path: str) -> bool:
    return any(question(machine, function, owner) for function, owner in functions_of(machine.project.tree(path)))


def named(name: str) -> Question:
    """The question again, by the name that `any_function` has left."""
    module, _, function = name.removeprefix(ASKED).partition(":")
    found: Question = getattr(import_module(module), function)
    return found
