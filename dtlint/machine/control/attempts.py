"""What happens around `try`: who fails, and who goes on?"""

from __future__ import annotations

import sys
from functools import partial

from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.machine.control import caught as caught_here
from dtlint.machine.control.failures import (
    BY_HAND,
    OF_FILES,
    OF_VALUES,
    ONLY_RAISED,
    QUEUES,
    SHARED,
    WAITING,
    Tried,
    begins_with,
    can_fail_alone,
    goes_wrong_in_talk,
    met_first,
    only,
    only_raises,
    only_reads,
    own_reads,
    reads_files,
    starts_first,
    strikes_alone,
)
from dtlint.machine.control.raised import of_data
from dtlint.machine.control.started_apart import goes_around
from dtlint.machine.core import Machine
from dtlint.machine.library.meeting import lost_handles
from dtlint.machine.library.python import iterators
from dtlint.machine.library.python.run_later import STRIKING
from dtlint.machine.logs import EXITS, Attempt, Call, Decision, Guards, HandlerLog, Log
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Leaving
from dtlint.machine.values import (
    BY_SHARE,
    NAMING,
    Cause,
    ClassRef,
    External,
    FunctionRef,
    ModuleRef,
    Trail,
    Tuple,
    Value,
)


@goes_around
def run_try(machine: Machine, node: ir.Try, mask: int) -> int:
    frame = machine.frame
    attempt = Attempt(frame.path, node.at, mask, frame.guards, frame.scope, "try")
    attempt.again = bool(node.handlers) and in_turn(machine)
    if node.final:
        attempt.final = Log()
    outer_sinks, outer_guards = machine.sinks, frame.guards
    machine.emit(attempt)
    inside = [(attempt.body, mask)]
    machine.sinks = inside
    left_before, differences = frame.left, machine.differences.copy()
    asked, raised_before = len(machine.facts.get(iterators.ENDS, ())), len(machine.raised)
    gone = caught_here.away(frame)
    through, state = caught_here.run_body(machine, node, mask)
    if node.orelse and through:
        through = machine.run(node.orelse, through)
    in_handlers = caught_here.go_on(machine, state, inside, gone)
    body_sinks = machine.sinks
    body_word = frame.last_exit[0] if not through else ""
    raised = frame.left & ~left_before
    caught = 0
    surely = raised if node.handlers and not EXITS & {body_word, frame.last_exit[0]} else 0
    if not surely and not only_raises(node.body):
        # what works on the same values everywhere, touches no file and talks to nobody fails everywhere or nowhere
        alone = ""
        computed = machine.differences - differences
        shared = {"files", *NAMING}
        if reads_files(attempt.body) and not any(own_reads(attempt.body)):
            shared |= BY_SHARE
        if set(computed) - shared or goes_wrong_in_talk(attempt.body):
            alone = "exception"
        elif computed or attempt.body.nodes:
            alone = "files"  # the ranks see the same ones where they share a file system
        own_files = bool(BY_SHARE.intersection(computed)) and reads_files(attempt.body)
        tried = Tried(alone, "data" in computed or own_files, iterators.ended(machine, asked), raised_before)
        for handler in () if found_here(machine, node.body) or cannot_fail(node.body) else node.handlers:
            caught |= run_handler(machine, node, handler, attempt, mask, through, tried)
    moved = body_sinks != inside
    handled = 0
    if surely:
        # these lanes raise for certain: for them the handler is what comes next
        machine.sinks = body_sinks if moved else outer_sinks
        frame.left &= ~surely
        handler = node.handlers[0]
        decision = Decision("handler", frame.path, handler.at or node.at, "except", None, surely, mask, frame.scope)
        frame.guards = outer_guards if surely == mask else Guards(decision, outer_guards)
        handled = machine.run(handler.body, surely)
        outer_sinks = machine.sinks if not moved else outer_sinks
        body_sinks = machine.sinks if moved else body_sinks
    frame.guards = outer_guards
    staying = through | handled if surely else through | (caught if not through else caught & through)
    staying |= in_handlers
    if moved:
        # a side of a choice left the body: what follows belongs to the side that stayed
        rest = [(log, lanes & ~mask) for log, lanes in outer_sinks if lanes & ~mask]
        machine.sinks = [*rest, *body_sinks]
    else:
        machine.sinks = outer_sinks
    if node.final:
        saved = machine.sinks
        assert attempt.final is not None
        machine.sinks = [(attempt.final, mask)]
        lanes = mask if staying != mask else staying
        keep = frame.left
        frame.left &= ~mask
        final_through = machine.run(node.final, lanes)
        frame.left |= keep
        machine.sinks = saved
        staying &= final_through
    return staying & ~frame.left


def found_here(machine: Machine, body: tuple[ir.Stmt, ...]) -> bool:
    """`try: from tools import ranks`, where the project has it, or `try: import fcntl`, which comes with Python: what
    stands in for it is for those who have not."""
    for statement in body:
        if not isinstance(statement, ir.Import | ir.ImportFrom):
            return False
        for name, alias in statement.names:
            value = machine.frame.variables.get(alias or name)
            if isinstance(statement, ir.Import) and isinstance(value, External) and comes_with_python(value.name):
                continue  # what is taken from it may be gone since: `from urllib import urlretrieve`
            if not isinstance(value, ModuleRef | FunctionRef | ClassRef) or value.path not in machine.paths:
                return False
    return bool(body)


def cannot_fail(body: tuple[ir.Stmt, ...]) -> bool:
    """`try: found = usual`: names that get what others hold."""
    return all(
        isinstance(one, ir.Assign)
        and isinstance(one.value, ir.Name | ir.Const)
        and all(isinstance(target, ir.Name) for target in one.targets)
        for one in body
    )


OF_WINDOWS = frozenset({"msvcrt", "winreg", "winsound", "nt", "_winapi"})


def comes_with_python(name: str) -> bool:
    return name in sys.stdlib_module_names and name not in OF_WINDOWS


def in_turn(machine: Machine) -> bool:
    """Does a framework call this in every turn: `training_step` and the like?"""
    return classes.called_as(machine, lambda known: known.turns)


def begins_with_its_talk(machine: Machine, call: Call) -> bool:
    module = machine.project.module(call.callee_path)
    functions = functions_of(module) if module is not None else ()
    return any(one.qualname == call.function and begins_with(one.body, call) for one, _ in functions)


def tells_ranks(machine: Machine, mask: int, function: ir.Expr) -> bool:
    named = machine.evaluate(function, mask) if isinstance(function, ir.Name | ir.Attr) else None
    row = machine.knowledge.api(named.name) if isinstance(named, External) else None
    return row is not None and row.does == "value"


def run_handler(
    machine: Machine,
    node: ir.Try,
    handler: ir.Handler,
    attempt: Attempt,
    mask: int,
    through: int,
    tried: Tried,
) -> int:
    """A handler is what a failing rank does instead of the rest of the body."""

    frame = machine.frame
    kinds = machine.evaluate(handler.types, mask) if handler.types is not None else None
    types = exception_names(kinds) if kinds is not None else ("BaseException",)
    raised = raised_here(machine, kinds, tried.raised)
    alike = only(types, SHARED) and not of_data(raised)
    own = any(own_reads(attempt.body))
    missing = only(types, OF_FILES) and own
    if raised:
        shared = alike or not any(one.cause for one in raised)
    else:
        unknown = own_classes(kinds)  # of the program, and nothing shows who raises it
        strikes = missing or strikes_alone(types) or set(types) <= QUEUES or can_fail_alone(attempt.body)
        shared = unknown or (only(types, SHARED) and not missing) or not strikes
    shared = shared or (only(types, OF_VALUES) and not tried.of_data and not own)
    shared = shared or expects(handler)
    shared = shared or starts_first(attempt.body)
    begins = partial(begins_with_its_talk, machine)
    tells = partial(tells_ranks, machine, mask)
    met = 0 if strikes_alone(types, WAITING) else met_first(attempt.path, node.body, attempt.body, begins, tells)
    shared = shared or (0 < met == len(attempt.body.nodes))
    found_alike = tried.alone == "files" and only_reads(attempt.body) and not own
    log = HandlerLog(types, handler.at or node.at, shared or found_alike)
    log.met = met
    log.of_data = tried.of_data and not alike
    log.raised = raised
    attempt.handlers.append(log)
    alone = "exception" if own and tried.alone == "files" else tried.alone  # its own file is missing on some rank
    if set(types) <= QUEUES:
        alone, log.of_data = "queue", True  # what other threads have put there by now
    elif all("Timeout" in name for name in types):
        alone, log.of_data = "exception", True  # whatever was waited for: time passes on each rank by itself
    words = " or ".join(name.rpartition(".")[2] for name in types) or "exception"
    cause = (
        None
        if shared or not alone
        else Cause(alone, Trail(machine.step(f"`{words}` may be raised on one rank only", handler.at)))
    )
    if tried.ended is not None and words == "StopIteration":
        cause = tried.ended
    decision = Decision("handler", frame.path, handler.at or node.at, f"except {words}", cause, mask, mask, frame.scope)
    if cause is tried.ended is not None:
        log.ends = decision
    saved_guards, saved_sinks, saved_left = frame.guards, machine.sinks, frame.left
    frame.guards = Guards(decision, saved_guards)
    frame.choices.append(decision)
    machine.sinks = [(log.log, mask)]
    mark = len(machine.journal)
    frame.last_exit = ("", None)
    if handler.name:
        machine.assign(handler.name, machine.fresh("exception", cause), mask)
    frame.left &= ~mask
    stayed = machine.run(handler.body, mask)
    writes = machine.rollback(mark)
    log.exit = "" if stayed else (frame.last_exit[0] or "raise")
    log.exit_at = frame.last_exit[1] or log.at
    frame.left = saved_left
    frame.choices.pop()
    frame.guards, machine.sinks = saved_guards, saved_sinks
    if stayed:
        if through:
            machine.join_writes(writes, [], machine.symbols.fresh("exception"), cause, mask)
        else:
            machine.apply_writes(writes)
        return mask
    if log.exit in ("break", "continue") and frame.loops:
        frame.loops[-1].leavings.append(Leaving(log.exit, decision, mask, writes))
    return 0


def expects(handler: ir.Handler) -> bool:
    """A handler that asserts what it has caught: the body is there to fail, on every rank."""
    asserted = (one.test for one in handler.body if isinstance(one, ir.Assert))
    return handler.name is not None and any(lost_handles.read_in(test, handler.name) for test in asserted)


def own_classes(kinds: Value | None) -> bool:
    """Are these exceptions of the program's own?"""
    return all(isinstance(kind, ClassRef) for kind in kinds_in(kinds))


def kinds_in(kinds: Value | None) -> tuple[Value | None, ...]:
    return kinds.items if isinstance(kinds, Tuple) else (kinds,)


def raised_here(machine: Machine, kinds: Value | None, raised_before: int) -> list[Decision]:
    """Where exceptions are raised that the handler is for; of those that may come from elsewhere as well, only what is
    raised for a rank's own data."""
    asked = kinds_in(kinds)
    names = {name for kind in asked if not isinstance(kind, ClassRef) for name in exception_names(kind)}

    def caught(kind: ClassRef | str) -> bool:
        if isinstance(kind, str):
            return not names.isdisjoint(BY_HAND[kind])
        return any(one in classes.linearise(machine, kind) for one in asked)

    raised = (*machine.facts.get(STRIKING, ()), *machine.raised[raised_before:])
    found = [decision for kind, decision in raised if caught(kind)]
    return found if names <= ONLY_RAISED else of_data(found)


def exception_names(value: Value | None) -> tuple[str, ...]:
    if isinstance(value, Tuple):
        return tuple(name for item in value.items for name in exception_names(item))
    if isinstance(value, External):
        return (value.name.removeprefix("builtins."),)
    if isinstance(value, ClassRef):
        bases = [base.name for base in value.bases if isinstance(base, External)]
        return (bases[0].removeprefix("builtins."),) if bases and bases[0].endswith("ImportError") else (value.name,)
    return ("Exception",)
