"""Do the ranks take turns: `for turn in range(rounds * world): if turn % world == rank: …`?

Where a loop has a whole number of rounds, every rank comes to the branch once in each of them. What they meet in there
they meet equally often, each in a turn of its own.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.control.turn_questions import COUNTED
from dtlint.machine.library.computing.provenance import number_in
from dtlint.machine.library.feeding.totals import EVEN, multiple
from dtlint.machine.logs import Choice, Event, LogNode, Loop, plain_question
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.timeline.ranks.parting import Divergence


def in_own_turn(run: Run, divergence: Divergence) -> bool:
    """Is what parts the ranks only whose turn it is, in a loop of whole rounds in which they meet nowhere else?"""
    choice, cause = divergence.choice, divergence.cause
    if not isinstance(choice, Choice) or cause is None or cause.kind != "rank":
        return False
    number = run.world.size
    if not asks_whose_turn(choice, number):
        return False
    above = next((path for node, path in run.walk() if node is choice), ())
    loop = next((node for node in reversed(above) if isinstance(node, Loop)), None)
    return loop is not None and whole_rounds(loop.subject, number) and meets_only_below(run, loop, choice)


def asks_whose_turn(choice: Choice, number: int) -> bool:
    """`turn % world == rank`, or the other way round"""
    question, _ = plain_question(choice.symbol)
    if question is None or question.key[0] not in ("compare ==", "compare !="):
        return False
    return any(is_place_in_round(part, number) for part in question.key[1:])


def is_place_in_round(part: Any, number: int) -> bool:
    if not isinstance(part, Symbol) or part.key[0] != "op %" or number_in(part.key[2]) != number:
        return False
    return isinstance(part.key[1], Symbol) and part.key[1].key[0] in COUNTED


def whole_rounds(walked: Value | None, number: int) -> bool:
    """`range(rounds * world)`, `enumerate(rows[: len(rows) // world * world])`"""
    if isinstance(walked, Object) and walked.facts.get("inner"):
        walked = walked.facts["inner"][0]
    if isinstance(walked, Object):
        start, stop = walked.attributes.get("start"), walked.attributes.get("stop")
        if start != Const(0) or walked.attributes.get("step") != Const(1):
            return False
        if isinstance(stop, Const):
            return stop.scale is not None
        return isinstance(stop, Unknown) and multiple(stop.symbol, number) == EVEN
    if not isinstance(walked, Unknown) or walked.symbol.key[0] != "slice":
        return False
    _, _, start, stop, *step = walked.symbol.key
    return start in (None, 0) and step in ([], [None]) and multiple(stop, number) == EVEN


def meets_only_below(run: Run, loop: Loop, choice: Choice) -> bool:
    """Are all calls in the loop that need the others made by the one whose turn it is, below the question or behind
    it, where all but that one have gone on to the next turn?"""
    behind = False
    for node, path in run.walk():
        behind = behind or (node is choice and "continue" in choice.exits)
        if isinstance(node, Event) and node.kind in ("collective", "p2p") and within(path, loop):
            if not behind and not within(path, choice):
                return False
    return True


def within(path: tuple[LogNode, ...], around: LogNode) -> bool:
    return any(one is around for one in path)
