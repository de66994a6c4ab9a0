"""Whose workers are forked after what they may not be forked with has started?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Event
from dtlint.machine.values import NONE, Const, FunctionRef, Object, Value
from dtlint.machine.walks import walk
from dtlint.timeline.devices import on_cuda
from dtlint.timeline.environment import starts
from dtlint.timeline.options import usual
from dtlint.timeline.order import Met, before, open_questions
from dtlint.timeline.samples.workers import loaded_by, loaders
from dtlint.timeline.steps.stepping import events


def late_forks(run: Any) -> Iterator[tuple[Met, Event, str]]:
    """Processes that are forked after a runtime with threads was started, with what started it."""
    for met in events(run, "record", "fork"):
        asked = start_method(run, met)
        if asked not in ("fork", None):
            continue
        target = met.event.extra["call"].get("target")
        sure = ("certain", "perhaps") if asked else ("certain",)
        uses_it = any(works_on(run, one, "cuda", sure) for one in (target, *given_to_children(run, met)))
        # who asks for a fork may do so for a child nobody sees here, as that of a pool
        with_cuda = uses_it if isinstance(target, FunctionRef) or asked is None else True
        started = started_before(run, met, ("jax", "cuda") if with_cuda else ("jax",))
        if started is not None:
            yield met, started[0], started[1]
    for met, call in loaders(run):
        usually = usual(run, call.get("num_workers"))
        workers = usually.value if isinstance(usually, Const) and not usually.scale else 0
        if not workers or start_method(run, met) not in (None, "fork"):
            continue
        readers = ("jax", "cuda") if makes_samples_on_cuda(run, call) else ("jax",)
        started = started_before(run, first_iteration(run, met), readers)
        if started is not None:
            yield met, started[0], started[1]


def given_to_children(run: Any, met: Met) -> Iterator[Value | None]:
    """The functions that the children of this pool are given: `pool.map(score, rows)`."""
    node = met.event.extra["call"].node
    for work in events(run, "record", "child-work"):
        call = work.event.extra["call"]
        made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
        if isinstance(made, Invocation) and made.node is node:
            yield call.get("fn")


def makes_samples_on_cuda(run: Any, call: Invocation) -> bool:
    """Does what the workers run, the data set or what collates its samples, put something onto a GPU?"""
    made: dict[int, Object] = run.facts.get("loaders", {})
    known = [one.facts["described"] for one in made.values() if made_by(one, call) and "described" in one.facts]
    logs = [look.log for described in known for look in described.looks]
    return any(isinstance(node, Event) and on_cuda(node) for log in logs for node, _ in walk(log))


def made_by(loader: Object, call: Invocation) -> bool:
    own = loader.facts.get("call")
    return isinstance(own, Invocation) and own.node is call.node


def works_on(run: Any, target: Value | None, reader: str, how_sure: tuple[str, ...]) -> bool:
    """Does the function of a child, or one of its file that it calls, speak of the runtime?"""
    row = run.knowledge.settings.get(f"work on {reader}")
    if row is None or not isinstance(target, FunctionRef):
        return False
    words = {word for name in how_sure for word in row.extra.get(name, ())}
    of_file = {name: tokens for name, tokens, owner in run.project.functions(target.path) if owner is None}
    todo, done = [frozenset(target.node.tokens)], set[str]()
    while todo:
        tokens = todo.pop()
        if not words.isdisjoint(tokens):
            return True
        called = (tokens & of_file.keys()) - done
        done |= called
        todo += [of_file[name] for name in called]
    return False


def first_iteration(run: Any, met: Met) -> Met:
    """Workers start when the loader is first iterated."""
    node = met.event.extra["call"].node
    for later in events(run, "end", "next turn"):
        loop = later.event.loop
        made = loaded_by(loop.subject) if loop is not None else None
        if made is not None and made.node is node:
            return later
    return met


def started_before(run: Any, met: Met, readers: tuple[str, ...]) -> tuple[Event, str] | None:
    for earlier in before(run, met):
        for reader in readers:
            begins = starts(run, earlier.event, reader) == "backend" and "is_available" not in earlier.event.api
            if begins and not open_questions(earlier, met):
                return earlier.event, reader
    return None


def start_method(run: Any, met: Met) -> str | None:
    """fork, spawn or forkserver, where the program says so."""
    call = met.event.extra["call"]
    given = call.get("multiprocessing_context")
    if given is None and isinstance(call.receiver, Object) and "call" in call.receiver.facts:
        given = next(iter(call.receiver.facts["call"].values), None)
    if isinstance(given, Object) and "call" in given.facts:
        given = next(iter(given.facts["call"].values), None)
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value
    if given is not None and given != NONE:
        return "unknown"
    for other in events(run, "record", "start-method"):
        value = next(iter(other.event.extra["call"].values), None)
        return value.value if isinstance(value, Const) and isinstance(value.value, str) else "unknown"
    return asked_when_imported(run, met.event.path) or ("fork" if call.row.extra.get("forks") else None)


def asked_when_imported(run: Any, path: str) -> str | None:
    """`set_start_method("spawn")` at the top of the file that starts the processes: a function of it that is run for
    itself has not come by there."""
    names = {row.name.rpartition(".")[2] for row in run.knowledge.apis.values() if row.record == "start-method"}
    for node in every_node(run.project.tree(path).body, (ir.Function, ir.Lambda)):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr | ir.Name) and node.args:
            name = node.func.name if isinstance(node.func, ir.Attr) else node.func.id
            given = node.args[0]
            if name in names:
                return given.value if isinstance(given, ir.Const) and isinstance(given.value, str) else "unknown"
    return None
