"""What is noted about a thing on one side of an undecided branch? Who runs the other side knows nothing of it."""

from __future__ import annotations

from typing import Any

from dtlint.machine.values import MISSING

Note = tuple[dict[Any, Any], Any, Any]  # the facts of a thing, the name of one, and what it is or was


class Noted:
    """Facts about things, in the order in which they were noted."""

    def __init__(self) -> None:
        self.before: list[Note] = []

    def put(self, facts: dict[Any, Any], name: Any, value: Any) -> None:
        self.before.append((facts, name, facts.get(name, MISSING)))
        facts[name] = value

    def taken_back(self, mark: int) -> list[Note]:
        """Undo what was noted since; it is handed back, the first first."""
        undone: list[Note] = []
        while len(self.before) > mark:
            facts, name, old = self.before.pop()
            undone.append((facts, name, facts.pop(name)))
            if old is not MISSING:
                facts[name] = old
        return undone[::-1]

    def again(self, undone: list[Note]) -> None:
        """Behind the branch it may have been either side."""
        for facts, name, value in undone:
            self.put(facts, name, value)
