"""Which sides of a branch does nobody come to, because a branch above has answered the same question?

`if alone: …` that some ranks leave puts all that follows on both of its sides. A later `if not alone:` stands there
twice, and on each of the two sides one of its own is never taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.contents import ranges
from dtlint.machine.core import narrowed
from dtlint.machine.logs import Attempt, Call, Choice, Event, Log, LogNode, Loop, implied, inner_logs, told
from dtlint.machine.values import Symbol

Answers = frozenset[tuple[Any, Any]]
NOTHING: Answers = frozenset()


def consistent(log: Log, begun: Sorting | None = None) -> Log:
    """The log without the sides that contradict a branch above them; `begun` has been through what it begins with."""
    return Sorting(begun).sorted_out(log, NOTHING)


class Sorting:
    """Parts of the log are shared: each is gone through once for what is known of the questions that it asks."""

    def __init__(self, begun: Sorting | None = None) -> None:
        self.asked: dict[int, frozenset[Any]] = dict(begun.asked) if begun is not None else {}
        self.known: dict[tuple[int, Answers], Log] = dict(begun.known) if begun is not None else {}

    def questions(self, log: Log) -> frozenset[Any]:
        """All that is asked in the log, at any depth, and what is compared with a number."""
        found = self.asked.get(id(log))
        if found is None:
            self.asked[id(log)] = frozenset()  # a log that holds itself adds nothing
            gathered: set[Any] = set()
            for node in log.nodes:
                if not isinstance(node, Event):
                    asked = {what for side in (True, False) for what, _ in answers_of(node, side)}
                    gathered.update(asked, map(ranges.subject, asked), map(told_by_equality, asked))
                    for inner in inner_logs(node):
                        gathered |= self.questions(inner)
            found = self.asked[id(log)] = frozenset(gathered - {None})
        return found

    def sorted_out(self, log: Log, answers: Answers) -> Log:
        questions = self.questions(log)
        answers = frozenset(one for one in answers if one[0] in questions or ranges.subject(one[0]) in questions)
        index = (id(log), answers)
        found = self.known.get(index)
        if found is None:
            self.known[index] = log
            nodes = [self.node(one, answers) for one in log.nodes] if questions else log.nodes
            if any(new is not old for new, old in zip(nodes, log.nodes, strict=True)):
                found = Log()
                found.nodes = nodes
            else:
                found = log
            self.known[index] = found
        return found

    def node(self, node: LogNode, answers: Answers) -> LogNode:
        if isinstance(node, Event):
            return node
        if isinstance(node, Choice):
            return self.choice(node, answers)
        if isinstance(node, Call):
            return changed(node, log=self.sorted_out(node.log, answers))
        if isinstance(node, Loop):
            return changed(node, body=self.sorted_out(node.body, answers))
        return self.attempt(node, answers)

    def choice(self, node: Choice, answers: Answers) -> Choice:
        taken = [side for side in (True, False) if agrees(node, side, answers)]
        logs = {side: self.side(node, side, answers) if side in taken else Log() for side in (True, False)}
        known = taken[0] if len(taken) == 1 else None
        if known is None:
            return changed(node, then=logs[True], other=logs[False])
        return changed(node, then=logs[True], other=logs[False], known=known)

    def side(self, choice: Choice, side: bool, answers: Answers) -> Log:
        log = choice.then if side else choice.other
        return self.sorted_out(log, answers | frozenset(answers_of(choice, side)))

    def attempt(self, attempt: Attempt, answers: Answers) -> Attempt:
        final = attempt.final and self.sorted_out(attempt.final, answers)
        return changed(attempt, body=self.sorted_out(attempt.body, answers), final=final)


def told_by_equality(asked: Any) -> Any:
    """`x is None` is answered by what `x` is equal to."""
    none = isinstance(asked, Symbol) and asked.key[0] == "is none"
    return ("equal to", asked.key[1]) if none else None


def answers_of(node: LogNode, side: bool) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, Choice):
        yield from told(node.symbol, side)


def agrees(choice: Choice, side: bool, answers: Answers) -> bool:
    """Does a side of the branch go with what is known already?"""
    known = dict(answers)
    if implied(choice.symbol, known) is (not side):
        return False
    return all(known.get(what, answer) == answer for what, answer in answers_of(choice, side))


def changed(node: Any, **parts: Any) -> Any:
    """The same node with other logs in it; itself where they are the same."""
    if all(getattr(node, name) is part for name, part in parts.items()):
        return node
    copy: Any = narrowed(node, node.mask)
    for name, part in parts.items():
        setattr(copy, name, part)
    return copy
