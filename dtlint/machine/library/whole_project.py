"""Is there a function anywhere in the project of which this is true?"""

from __future__ import annotations

from collections.abc import Callable

from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.machine.core import Machine


def any_function(machine: Machine, question: str, answer: Callable[[ir.Function, ir.Class | None], bool]) -> bool:
    """`question` names what is asked: it is answered once for a project."""
    machine.project.looked.update(machine.project.selected)
    found: bool | None = machine.notes.get(question)
    if found is None:
        modules = [machine.project.module(path) for path in machine.project.selected]
        found = any(answer(function, owner) for module in modules for function, owner in functions_of(module))
        machine.notes[question] = found
    return found
