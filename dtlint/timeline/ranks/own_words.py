"""How does the framework of this program spell what a remedy asks for?"""

from __future__ import annotations

from dtlint.machine.logs import Event
from dtlint.machine.run import Run

# In the packs, beside what shows that a program works with a framework
FIRST = "first"  # how a rank is asked whether it is the first
HOLDS_BACK = "holds_back"  # what keeps a backward pass from reducing


def first_asked(run: Run) -> str:
    """`accelerator.is_main_process`, where the program has an accelerator."""
    return spelled(run, FIRST, "rank == 0")


def others_asked(run: Run) -> str:
    """The same question, turned."""
    asked = first_asked(run)
    return asked.replace("==", "!=") if "==" in asked else f"not {asked}"


def holding_back(run: Run) -> str:
    """`accelerator.no_sync(model)`"""
    return spelled(run, HOLDS_BACK, "model.no_sync()")


def spelled(run: Run, word: str, usual: str) -> str:
    known: str | None = run.cache.get(place := f"spelled: {word}")
    if known is None:
        apis = dict.fromkeys(node.api for node, _ in run.walk() if isinstance(node, Event))
        rows = (run.knowledge.apis.get(name) for name in apis)
        known = next((str(row.extra[word]) for row in rows if row is not None and word in row.extra), usual)
        run.cache[place] = known
    return known
