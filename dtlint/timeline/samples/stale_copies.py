"""Whose copy of a data set does the program change, where workers hold copies of their own?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.logs import Call, Event, Loop
from dtlint.machine.values import TRUE, Bound, ClassRef, Const, FunctionRef, Object, Unknown
from dtlint.timeline.options import usual
from dtlint.timeline.order import Met, below, loops_over
from dtlint.timeline.samples.workers import loaded_by
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.symbols import worth


@dataclass(frozen=True, slots=True)
class StaleWrite:
    calls: tuple[Call, ...]  # from the loop that brings the write about
    write: Event
    attribute: str
    persistent: bool

    @property
    def first(self) -> tuple[str, tuple[int, int, int, int], str]:
        """The line of that loop: the write itself, or the call that leads to it."""
        for call in self.calls:
            return call.path, call.at, call.caller
        return self.write.path, self.write.at, self.write.function


def stale_writes(run: Any) -> Iterator[StaleWrite]:
    """Attributes set on a data set whose workers already hold their copy of it."""
    for met in events(run, "record", "dataset-write"):
        event = met.event
        call, name = event.extra["loader"], event.extra["attribute"]
        workers = usual(run, call.get("num_workers"))
        if (
            not isinstance(workers, Const)
            or not workers.value
            or not read_by_items(event.subject, name, collating(call))
        ):
            continue
        persistent = stays(call, workers.value)
        loops = loops_over(met)
        iterating = [loop for loop in loops if iterates(loop, call) or takes(run, loop, call, persistent)]
        if iterating or (persistent and any(contains_iteration(run, loop, call) for loop in loops)):
            outer = iterating[0] if iterating else loops[0]
            yield StaleWrite(calls_below(met, outer), event, name, persistent)
        elif persistent and event.extra["again"]:
            yield StaleWrite((), event, name, persistent)


def stays(call: Any, workers: int) -> bool:
    """`persistent_workers=True`, or an expression on the number of workers that is true of this many."""
    given, count = call.get("persistent_workers"), call.get("num_workers")
    if isinstance(given, Unknown) and isinstance(count, Unknown):
        return bool(worth(given.symbol, {count.symbol: workers}))
    return given == TRUE


def iterates(loop: Loop, call: Any) -> bool:
    return is_made_by(loop.subject, call)


def takes(run: Any, loop: Loop, call: Any, persistent: bool) -> bool:
    """Does every turn take a batch from an iterator that was made before the loop?"""

    def inside(what: str) -> bool:
        return any(
            is_made_by(met.event.subject, call) and loop in loops_over(met) for met in events(run, "record", what)
        )

    return inside("batch-taken") and (persistent or not inside("iterator-made"))


def is_made_by(subject: Any, call: Any) -> bool:
    made = loaded_by(subject)
    return made is not None and made.node is call.node


def contains_iteration(run: Any, loop: Loop, call: Any) -> bool:
    return any(
        later.event.loop is not None and iterates(later.event.loop, call) and loop in loops_over(later)
        for later in events(run, "end", "next turn")
    )


def calls_below(met: Met, outer: Loop) -> tuple[Call, ...]:
    return tuple(node for node, _ in below(met, outer) if isinstance(node, Call))


def collating(call: Any) -> Bound | None:
    """`collate_fn=batches.make`: a method that the workers call."""
    given = call.get("collate_fn")
    return given if isinstance(given, Bound) else None


WORKED_WITH = ("__getitem__", "__iter__", "__getitems__", "__call__", "forward")


def read_by_items(dataset: Any, name: str, collate: Bound | None = None) -> bool:
    """Does what the workers run (`__getitem__`, `__iter__`, or `__call__` of what makes samples and batches, and what
    they call) read this attribute?"""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, ClassRef):
        return False
    methods = {
        statement.name: statement
        for statement in dataset.kind.node.body
        if isinstance(statement, ir.Function) and statement.name != "__init__"
    }
    begun = [found for found in WORKED_WITH if found in methods]
    if collate is not None and collate.receiver is dataset and isinstance(collate.function, FunctionRef):
        begun += [found for found in methods if found == collate.function.name.rpartition(".")[2]]
    todo, done = begun, set()
    while todo:
        method = todo.pop()
        if method in done:
            continue
        done.add(method)
        tokens = methods[method].tokens
        if name in tokens:
            return True
        todo.extend(other for other in methods if other in tokens)
    return False
