"""What stands around the place that starts processes, and is not around what they do?

`for batch in sizes: spawn(train, (batch,))`, `try: spawn(train)`: the turns and the handler are those of the process
that starts the others. Each of these runs its function once, and none comes to the handler. So what they do is told
before the outermost loop or `try`, as if it stood there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

from dtlint.machine.core import Machine
from dtlint.machine.logs import Call, Guards, Log, LogNode

Given = ParamSpec("Given")
OUTSIDE = "outside of turns"  # fact of the run: where the log goes on before the outermost loop or `try`
OF_TURNS = frozenset({"loop", "handler"})  # kinds of decisions


def goes_around(run: Callable[Given, int]) -> Callable[Given, int]:
    """For what runs a loop or a `try`."""

    @wraps(run)
    def remembered(*args: Given.args, **keywords: Given.kwargs) -> int:
        machine: Any = args[0]
        if OUTSIDE in machine.facts:
            return run(*args, **keywords)
        facts = machine.facts
        facts[OUTSIDE] = machine.sinks
        try:
            return run(*args, **keywords)
        finally:
            facts.pop(OUTSIDE, None)

    return remembered


@contextmanager
def left(machine: Machine) -> Iterator[None]:
    """Other processes begin here."""
    outside: list[tuple[Log, int]] | None = machine.facts.pop(OUTSIDE, None)
    if outside is None:
        yield
        return
    machine.oldest_write = 0  # what is told elsewhere is no part of the call that did it
    sinks, guards = machine.sinks, machine.frame.guards
    machine.sinks, machine.frame.guards = outside, without_turns(guards)
    before = [(log, len(log.nodes)) for log, _ in outside]
    try:
        yield
    finally:
        machine.sinks, machine.frame.guards = sinks, guards
        machine.facts[OUTSIDE] = outside
        for log, number in before:
            made = {place(node) for node in log.nodes[number:]} - {None}
            log.nodes[:number] = [node for node in log.nodes[:number] if place(node) not in made]  # an earlier attempt


def place(node: LogNode) -> Any:
    return (node.path, node.at, node.callee_path, node.function) if isinstance(node, Call) else None


def without_turns(guards: Guards | None) -> Guards | None:
    if guards is None:
        return None
    outer = without_turns(guards.outer)
    if guards.decision.kind in OF_TURNS:
        return outer
    return guards if outer is guards.outer else Guards(guards.decision, outer)
