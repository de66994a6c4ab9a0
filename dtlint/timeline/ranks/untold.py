"""Which differences rest on calls that were not followed?

A function nobody calls is followed only a few calls deep. A call beyond that which may communicate is an `untold` event
of its lanes: what the others wait for may well happen in there. So it may in a function that some ranks have handed to
somebody unknown, to a web page or a search for settings, say: when and how often that is called, nobody knows.
"""

from __future__ import annotations

from dtlint.machine.library.python.run_later import GIVEN
from dtlint.machine.logs import Choice, Event, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.timeline.ranks.parting import Divergence

TALKS = ("collective", "p2p")


class Untold:
    """The calls of one run that were not followed."""

    def __init__(self, run: Run) -> None:
        self.events = [(node, path) for node, path in run.walk() if isinstance(node, Event) and node.kind == "untold"]
        talking = [(node, path) for node, path in run.walk() if isinstance(node, Event) and node.kind in TALKS]
        given = [node for node, path in talking if given_away(path)]
        self.partial = [node.mask for node in (*given, *(one for one, _ in self.events)) if node.mask != run.world.full]
        self.given = [(node.op, node.mask) for node in given]

    def may_answer(self, here: int, absent: int) -> bool:
        """Some of the lanes that never come make such a call, and not together with those that wait."""
        return any(mask & absent and mask & here != here for mask in self.partial)

    def answers_later(self, divergence: Divergence) -> bool:
        """Those that wait do so for ever, turn after turn, and the others give away a function that makes the call; or
        the others make it turn by turn, and who gave it away is called as often: a search for settings, say."""
        turns = any(isinstance(node, Loop) and node.kind == "while" for node in divergence.path)
        if turns and any(op == divergence.event.op and mask & divergence.absent for op, mask in self.given):
            return True
        other = divergence.other
        if other is None or other.op != divergence.event.op or not given_away(divergence.path):
            return False
        return any(isinstance(node, Loop) for node in divergence.other_path)

    def below(self, choice: Choice) -> bool:
        return any(choice is node for _, path in self.events for node in path)


def given_away(path: tuple[LogNode, ...]) -> bool:
    """Does this happen in a function that was handed to somebody unknown?"""
    return any(isinstance(node, Choice) and node.symbol is not None and node.symbol.key[0] == GIVEN for node in path)
