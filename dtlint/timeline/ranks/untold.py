"""Which differences rest on calls that were not followed?

A function nobody calls is followed only a few calls deep. A call beyond that which may communicate is an `untold` event
of its lanes: what the others wait for may well happen in there.
"""

from __future__ import annotations

from dtlint.machine.logs import Choice, Event
from dtlint.machine.run import Run


class Untold:
    """The calls of one run that were not followed."""

    def __init__(self, run: Run) -> None:
        self.events = [(node, path) for node, path in run.walk() if isinstance(node, Event) and node.kind == "untold"]
        self.partial = [node.mask for node, _ in self.events if node.mask != run.world.full]

    def may_answer(self, here: int, absent: int) -> bool:
        """Some of the lanes that never come make such a call, and not together with those that wait."""
        return any(mask & absent and mask & here != here for mask in self.partial)

    def below(self, choice: Choice) -> bool:
        return any(choice is node for _, path in self.events for node in path)
