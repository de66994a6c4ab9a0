"""Who talks below a `try` in a generator: the generator itself, or whoever takes what it hands out?"""

from __future__ import annotations

from dtlint.machine.logs import Attempt, Call, Choice, HandlerLog, LogNode, Loop
from dtlint.machine.spoken import first_in


def handed_out(node: Attempt, handler: HandlerLog) -> bool:
    """`try: yield parse(line) except Broken: yield zeros`: nobody but the one who walks over this generator talks, and
    does so in his turn, with the one thing as with the other. What goes wrong there does not come to this handler."""
    talking = [one for log in (node.body, handler.log) for one in log.nodes if first_in(one, node.mask) is not None]
    return all(stands_in(one) != node.function for one in talking)


def stands_in(node: LogNode) -> str:
    """The function that a node of a log was written by."""
    if isinstance(node, Call):
        return node.caller
    return node.decision.function if isinstance(node, Choice | Loop) else node.function
