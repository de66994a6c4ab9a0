"""What do calls into libraries do, where a row of knowledge is not enough?

calling        a call of a name of a library: its row, its model, or what is guessed of it
noticing       what a library sees without being called: writes, imports, comparisons
reading        attributes, items, elements and lengths of what a library gave
answering      what is not known: models, instances, anything that can be called
contexts       what a `with` of a library begins and ends

These five know all the others and are asked by all of the machine, so they are read when first asked:
`from dtlint.machine import library`, then `library.calling.perform(…)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dtlint.machine.library import answering, calling, contexts, noticing, reading

__all__ = ["answering", "calling", "contexts", "noticing", "reading"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
