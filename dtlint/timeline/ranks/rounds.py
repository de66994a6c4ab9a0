"""Does a rank that comes to the end of its part begin it anew, so that it meets the others in every turn?

`while done < steps: for batch in part: …; done += 1`: the parts may be of any length. What is counted in their turns is
the same on all ranks wherever they meet.
"""

from __future__ import annotations

from dtlint.machine.logs import Call, Choice, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.spoken import first_in
from dtlint.machine.values import Cause

Above = tuple[LogNode, ...]
ROUNDS = "loops that go round"


def goes_round(loop: Loop, above: Above) -> bool:
    return round_of(loop, above) is not None


def round_of(loop: Loop, above: Above) -> Loop | None:
    """The loop around it, without an end or one that ends as its turns are counted, where the ranks are not to meet
    once a round besides."""
    inner: LogNode = loop
    for outer in reversed(above):
        if not isinstance(outer, Loop | Call):
            return None
        body = outer.body if isinstance(outer, Loop) else outer.log
        if any(node is not inner and first_in(node, outer.mask) is not None for node in body.nodes):
            return None
        if isinstance(outer, Loop):
            return outer if outer.decision.endless or counted_in(outer.cause, loop) else None
        inner = outer
    return None


def counted_in(cause: Cause | None, loop: Loop) -> bool:
    """Does it differ for the reason that the loop turns more often on some ranks? A generator finds the reason anew
    whenever it is run."""
    steps = cause.steps() if cause is not None else ()
    reason = loop.cause.steps() if loop.cause is not None else ()
    return bool(reason) and steps[: len(reason)] == reason


def counted_alike(run: Run, asked: Choice | Loop, above: Above) -> bool:
    """Is it asked, within the rounds or of whether there is another one, how many turns there were?"""
    return any(
        asked is not loop and counted_in(asked.cause, loop) and (outer is asked or outer in above)
        for loop, outer in going_round(run)
    )


def going_round(run: Run) -> list[tuple[Loop, Loop]]:
    found: list[tuple[Loop, Loop]] | None = run.cache.get(ROUNDS)
    if found is None:
        found = run.cache[ROUNDS] = [
            (node, outer)
            for node, path in run.walk()
            if isinstance(node, Loop) and node.cause is not None and node.cause.trail is not None
            if (outer := round_of(node, path)) is not None
        ]
    return found
