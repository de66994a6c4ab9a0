"""Is a manager left behind by who ends?"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dtlint.findings import Step
from dtlint.machine.library.python.exit_stacks import LEAVING
from dtlint.machine.logs import Attempt, Call, Event, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Object, Value
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.parting import Path
from dtlint.timeline.records import recorded, ways_down

EVERY = frozenset({"BaseException", "Exception"})


def left_behind(run: Run) -> Iterator[tuple[Event | Object, str, tuple[Step, ...]]]:
    """Managers and threads that a failure leaves alive: their end is not on the way of an exception."""
    if run.entry.kind != "script":
        return
    for event, path in recorded(run, "manager-made"):
        end = unguarded_end(run, "shutdown", event.subject)
        if end is not None:
            made = Step.of(event, "the manager is made here")
            yield event, "manager", (*ways_down(event, path), made, *told_end("shut down", end))
    for event, path in recorded(run, "thread-start"):
        thread = event.subject
        if not isinstance(thread, Object) or event.extra.get("daemon") is True or not endless(event):
            continue
        end = unguarded_end(run, "thread-join", thread)
        if end is not None and works_between(run, event):
            made = Step(thread.path, (thread.at or event.at)[0], "the thread is made here")
            begun = Step.of(event, "and started here")
            yield thread, "thread", (made, *ways_down(event, path), begun, *told_end("stopped", end))


def unguarded_end(run: Run, op: str, thing: Value | None) -> tuple[Event, Path] | None:
    """Where something is ended, if no failure on the way comes to that."""
    ends = [(event, path) for event, path in recorded(run, op) if event.subject is thing]
    leaving = run.facts.get(LEAVING, frozenset())
    return ends[0] if ends and not any(survives(event, path, leaving) for event, path in ends) else None


def told_end(what: str, end: tuple[Event, Path]) -> tuple[Step, ...]:
    event, path = end
    return (*ways_down(event, path), Step.of(event, f"{what} here, on the way without failure only"))


def survives(end: Event, path: tuple[LogNode, ...], leaving: Collection[object]) -> bool:
    """Is the end made in a `finally`, by the exit of a `with` or of a stack, or for every exception, around the work?
    What begins inside the `try` is ended by it as well."""
    if (end.path, end.at) in leaving:
        return True
    for node in path:
        if isinstance(node, Call) and (node.path, node.at) in leaving:
            return True
        if isinstance(node, Attempt):
            logs = [handler.log for handler in node.handlers if not EVERY.isdisjoint(handler.types)]
            if any(inner is end for log in (*logs, node.final) if log is not None for inner, _ in walk(log)):
                return True
    return False


def endless(event: Event) -> bool:
    """Does the thread turn in a `while`?"""
    log = event.extra["log"]
    return any(isinstance(node, Loop) and node.kind == "while" for node, _ in walk(log))


def works_between(run: Run, start: Event) -> bool:
    """Is there something in between that may fail: any call of all ranks?"""
    begun = False
    for node, _ in run.walk():
        if node is start:
            begun = True
        elif begun and isinstance(node, Event) and node.kind == "collective":
            return True
    return False
