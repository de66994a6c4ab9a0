"""What does a second thread of a rank do, and when does it end?

The thread's function runs on a log of its own: nobody knows how it mixes with the main thread. The events
`thread-start` (with that log) and `thread-join` stay in the main one.
"""

from __future__ import annotations

import itertools
from copy import copy
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.control.failures import WRITES
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation, Keywords
from dtlint.machine.library.jax.flow import LENT, buffers_in
from dtlint.machine.logs import Event, Log, LogNode
from dtlint.machine.names import classes
from dtlint.machine.spoken import talks
from dtlint.machine.values import NONE, Bound, ClassRef, Const, External, FunctionRef, Object, Value
from dtlint.machine.walks import walk

KIND = "threading.Thread"
FUTURE = "concurrent.futures.Future"
MET = "met beside"  # fact of a future: what its function has computed and raised
MOST = 4  # threads of one call that are looked at


def start(machine: Machine, call: Invocation) -> Value:
    thread = call.receiver
    function, arguments, keywords = what_it_runs(machine, thread)
    aside(machine, call, thread, function, arguments, keywords)
    return NONE


def submit(machine: Machine, call: Invocation) -> Value:
    """`executor.submit(function, …)`"""
    function = call.arguments[0] if call.arguments else None
    keywords = tuple((name, value) for name, value in call.keywords if name is not None)
    future = machine.new(FUTURE, call.mask)
    computed, raised = machine.differences.copy(), len(machine.raised)
    aside(machine, call, call.receiver, function, call.arguments[1:], keywords, future)
    future.facts[MET] = (machine.differences - computed, machine.raised[raised:])
    return future


def result(machine: Machine, call: Invocation) -> None:
    """`future.result()`: what went wrong in the function goes wrong here, for whoever takes its result."""
    met = call.receiver.facts.get(MET) if isinstance(call.receiver, Object) else None
    if met is not None:
        computed, raised = met
        machine.differences.update(computed)
        machine.raised.extend(raised)


def mapped(machine: Machine, call: Invocation) -> Value:
    """`executor.map(function, items)`: a thread for each item, and whoever takes the results waits for all of them."""
    function = call.arguments[0] if call.arguments else None
    known = [containers.items_of(machine, one) for one in call.arguments[1:]]
    given = zip(*(items or (machine.fresh("item"),) for items in known), strict=False)
    for arguments in itertools.islice(given, MOST):
        aside(machine, call, call.receiver, function, arguments, ())
    machine.emit_event("record", "thread-join", call.name, call.mask, subject=call.receiver)
    return opaque(machine, call.name, *call.values)


def what_it_runs(machine: Machine, thread: Value | None) -> tuple[Value | None, tuple[Value, ...], Keywords]:
    if not isinstance(thread, Object):
        return None, (), ()
    if isinstance(thread.kind, ClassRef):
        method = classes.in_class(machine, thread.kind, "run")
        return (Bound(method, thread), (), ()) if isinstance(method, FunctionRef) else (None, (), ())
    made = thread.facts.get("call")
    if not isinstance(made, Invocation):
        return None, (), ()
    given = made.get("args")
    arguments = containers.items_of(machine, given) if given is not None else ()
    named = made.get("kwargs")
    keywords: Keywords = ()
    if isinstance(named, Object) and named.kind == "dict":
        keywords = tuple((str(key[1]), value) for key, value in named.attributes.items() if isinstance(key, tuple))
    return made.get("target"), arguments or (), keywords


def aside(
    machine: Machine,
    call: Invocation,
    thread: Value | None,
    function: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    future: Value | None = None,
) -> None:
    """Run the function beside the main log and undo what it wrote: when it happens is not known."""
    from dtlint.machine.functions import calls

    log = Log()
    daemon = daemonic(thread)
    extra = {"log": log, "daemon": daemon, "future": future}
    started = machine.emit_event("record", "thread-start", call.name, call.mask, subject=thread, extra=extra)
    if not isinstance(function, FunctionRef | Bound | External):
        return
    frame, mark = machine.frame, len(machine.journal)
    given = (*arguments, *(value for _, value in keywords)) if machine.flow is not None else ()
    around = machine.facts.get(LENT)  # of the thread that starts this one
    reads = machine.facts[LENT] = {leaf.symbol for leaf in buffers_in(given)}
    with machine.beside(log, call.mask):
        try:
            calls.call_value(machine, function, arguments, keywords, call.mask)
        finally:
            machine.rollback(mark)
            machine.facts.pop(LENT, None)  # what the function began may have begun anew
            if around is not None:
                machine.facts[LENT] = around
    started.extra["reads"] = reads
    if talks(log, call.mask):  # some time from here on; what the other ranks do meanwhile may be the answer
        at = machine.current_at
        machine.emit(Event("untold", "", call.name, call.mask, frame.guards, frame.path, at, frame.scope))
    elif any(of_files(node) for node, _ in walk(log)):  # whenever that happens, it is done by these ranks
        for node in log.nodes:
            machine.emit(node)


def of_files(node: LogNode) -> bool:
    return isinstance(node, Event) and node.kind == "record" and node.op in WRITES


def daemonic(thread: Value | None) -> bool | None:
    """True or False where the program says so, None where it does not."""
    if not isinstance(thread, Object):
        return None
    made = thread.facts.get("call")
    given = made.get("daemon") if isinstance(made, Invocation) else None
    given = thread.attributes.get("daemon", given)
    return bool(given.value) if isinstance(given, Const) else None


def child(machine: Machine, call: Invocation) -> Value:
    """`Process(target=upload).start()`, and no rank that is started: what a helper of each rank does with files, each
    does. What the helper writes to memory is its own."""
    from dtlint.machine.functions import calls
    from dtlint.machine.library.meeting import children

    function, arguments, keywords = what_it_runs(machine, call.receiver)
    inner = function.function if isinstance(function, Bound) else function
    if not isinstance(inner, FunctionRef) or children.begins(machine, inner):
        return NONE
    log, mark = Log(), len(machine.journal)
    facts, told = as_they_are(machine.facts), dict(machine.told)
    with machine.beside(log, call.mask):
        try:
            calls.call_value(machine, function, arguments, keywords, call.mask)  # type: ignore[arg-type]
        finally:
            machine.rollback(mark)
            machine.facts, machine.told = facts, told  # a group that the helper has joined is none of this rank's
    if not talks(log, call.mask) and any(of_files(node) for node, _ in walk(log)):
        for node in log.nodes:
            machine.emit(node)
    return NONE


def as_they_are(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: copy(held) if isinstance(held, set | dict | list) else held for name, held in facts.items()}


MODELS = {
    "thread_start": start,
    "child_begins": child,
    "thread_submit": submit,
    "thread_result": result,
    "thread_map": mapped,
}
