"""What happens between entering a function and coming back from it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.functions import parameters
from dtlint.machine.joining import join
from dtlint.machine.lanes import row, token
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.meeting import group_start
from dtlint.machine.logs import EXITS, Call, Log, decisions
from dtlint.machine.names.frames import Frame, Leaving, Way
from dtlint.machine.values import (
    MISSING,
    NONE,
    Cause,
    FunctionRef,
    Row,
    Symbol,
    Symbols,
    Value,
    lane_value,
)

MANY = 8  # ways to return, beyond which nobody asks which was taken


@dataclass(slots=True)
class Outcome:
    """What a call left behind besides its result."""

    log: Log | None = None
    scope: str = ""
    whole: bool = False  # every lane came back


def enter(
    machine: Machine,
    function: FunctionRef,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    on_yield: Any,
    outcome: Outcome | None = None,
) -> Value:
    node = function.node
    caller = machine.frame
    place = machine.current_at
    globals_frame = function.closure.globals if function.closure is not None else caller.globals
    scope = node.qualname if isinstance(node, ir.Function) else caller.scope
    frame = Frame(function.path, scope, globals_frame, function.closure, caller, mask, function)
    frame.variables.newer = machine.number()
    frame.called_at = place
    frame.receiver = receiver
    frame.on_yield = on_yield
    if isinstance(node, ir.Function):
        frame.global_names = frozenset(node.globals)
        machine.uses.reached.add((function.path, node.qualname))
        machine.consult(function)
    parameters.bind(machine, frame, function, receiver, arguments, keywords)
    log = Log()
    outer_sinks = machine.sinks
    machine.sinks = [(log, mask)]
    machine.frame = frame
    begun = group_start.is_started(machine)
    own = bool(machine.stack) and receiver is not None and receiver is machine.own
    own = own or function.within_another  # as is a function with those that are defined in it
    machine.deepest += own  # a class is one unit: what its methods do for each other is no deeper than they are
    machine.near += own
    machine.stack.append(id(node))
    machine.uses.touched.add(function.path)
    try:
        if isinstance(node, ir.Lambda):
            result: Value = machine.evaluate(node.body, mask)
        else:
            through = machine.run(node.body, mask)
            if frame.left & mask == mask and came_back(frame) & mask == mask:
                frame.left = 0  # `if known: return …` before the last `raise`: all lanes return, or all fail
            result = returned(machine, frame, function, through, arguments)
    finally:
        machine.stack.pop()
        machine.deepest -= own
        machine.near -= own
        machine.frame = caller
        machine.sinks = outer_sinks
        machine.current_at = place
    if log.nodes:
        at = getattr(node, "at", None)
        machine.emit(Call(scope, caller.path, place, mask, caller.guards, log, caller.scope, function.path, at))
    after_call(machine, frame, caller, mask, not begun and group_start.is_started(machine))
    machine.end(frame)
    if outcome is not None:
        outcome.whole = not frame.left and not any(ends(machine, frame, leaving, mask) for leaving in frame.leavings)
        outcome.log, outcome.scope = (log if log.nodes else None), scope
    return result


def came_back(frame: Frame) -> int:
    """The lanes that return on some way: if a branch nobody can decide is taken, or nothing fails."""
    lanes = 0
    for entry in frame.returns:
        lanes |= entry.mask
    return lanes


def after_call(machine: Machine, frame: Frame, caller: Frame, mask: int, begins: bool) -> None:
    """What the callee left behind: lanes that ended, sides that may have ended, writes of sides that returned. Where it
    `begins` the process group, whoever returned before that is not the program of several ranks that we look at."""
    for leaving in frame.leavings:
        if leaving.word == "return" and leaving.mark is None:
            outside = [write for write in leaving.writes if write[0] is not frame.variables]
            if outside:
                symbol = machine.symbols.fresh("return")
                machine.join_writes(outside, [], symbol, leaving.decision.cause, leaving.mask)
                if begins and not leaving.begun:
                    group_start.begun_on(machine, symbol, (False, True), leaving.mask)
    for leaving in reversed(frame.leavings):
        if leaving.mark is not None:
            written_by_others(machine, frame, leaving, leaving.mark)
    if frame.left:
        caller.left |= frame.left
        word, at = way_out(frame)
        caller.last_exit = (word or "exit", machine.current_at)
        cause = next((choice.cause for choice in decisions(frame.guards) if choice.cause is not None), None)
        if cause is not None:
            step = Step(frame.path, at[0], f"`{word}` in `{frame.scope}`") if at is not None else None
            machine.facts["departure cause"] = cause.then(step) if step is not None else cause
        if caller.last_exit[0] == "exit":
            machine.ended(frame.left, machine.current_at)
    for leaving in frame.leavings:
        if ends(machine, frame, leaving, mask) and leaving.mask & ~caller.left:
            machine.part(leaving.decision, leaving.mask & ~caller.left)
            caller.leavings.append(Leaving(leaving.word, leaving.decision, leaving.mask, []))


WALKED = frozenset({"__next__", "__anext__", "__getitem__"})  # what these raise ends the loop that walks, no more


def ends(machine: Machine, frame: Frame, leaving: Leaving, mask: int) -> bool:
    """Is this side gone for the callers as well? A program that ends is. An error may be caught, and of one that all
    may come to, or that only those can who are called at all, there is nothing to say further up: what all have been
    called for, and one rank alone is asked whether it fails, parts it from the others. At the end of a chain that has
    an answer for each name the error is for a name that nobody gives."""
    if leaving.word in EXITS:
        return True
    if getattr(frame.node, "name", "") in WALKED:
        return False
    asked = leaving.decision.cause is None or leaving.decision.cause.kind == "files"
    one = bool(leaving.mask) and not leaving.mask & (leaving.mask - 1)
    return (
        leaving.word == "raise"
        and not leaving.both
        and asked
        and one
        and mask == machine.world.full
        and not machine.trying
    )


def written_by_others(machine: Machine, frame: Frame, leaving: Leaving, mark: int) -> None:
    """`if late: return` before `self.stop = True`: what was written since is written by those who went on, and the
    others hold what there was before, and what they have written themselves."""
    since = machine.rollback(mark)
    decision = leaving.decision
    sides = [[one for one in writes if one[0] is not frame.variables] for writes in (leaving.writes, since)]
    if not decision.exit_answer:
        sides.reverse()
    step = Step.of(decision, f"decides on `{decision.text}`")
    cause = decision.cause and decision.cause.then(step)
    symbol = decision.symbol or machine.symbols.fresh("return")
    machine.join_writes(sides[0], sides[1], symbol, cause, leaving.mask, leaving.older)


def way_out(frame: Frame) -> tuple[str, Any]:
    """How have those left that do not come back? Others may have returned since."""
    ways = (one for one in decisions(frame.guards) if one.kind == "exit" and one.exit_word != "return")
    found = next((one for one in ways if one.taken & frame.left), None)
    return (found.exit_word, found.exit_at) if found is not None else frame.last_exit


def returned(
    machine: Machine, frame: Frame, function: FunctionRef, through: int, arguments: tuple[Value, ...]
) -> Value:
    entries = [(entry.mask, entry.value, entry.cause, entry.way) for entry in frame.returns if entry.mask]
    if through:
        fallen = 0
        for entry in frame.returns:
            fallen |= entry.mask if entry.decision is None else 0
        if through & ~fallen:
            entries.append((through & ~fallen, NONE, None, ()))
    if not entries:
        return NONE
    if len(entries) == 1:
        return entries[0][1]
    given = tuple(token(argument) for argument in arguments)
    choice_cause = next((cause for _, _, cause, _ in entries if cause is not None), None)
    asked = next((entry.asked for entry in frame.returns if entry.mask and entry.cause is not None), None)
    older = frame.variables.newer
    causes = {question: why for entry in frame.returns for question, why in entry.causes.items()}
    lanes: list[Value] = []
    for lane in range(machine.world.size):
        here = [(way, value) for mask, value, _, way in entries if mask >> lane & 1]
        if choice_cause is None and any(isinstance(value, Row) for _, value in here):
            # all ranks leave at the same of them, and the answer without ranks is that of an undistributed run
            here = [one for one in here if isinstance(one[1], Row) or one[1].cause is not None]
        if len(here) <= MANY and all(way is not None for way, _ in here):
            ways = [(way or (), lane_value(value, lane)) for way, value in here]
            lanes.append(by_answers(ways, machine.symbols, older, causes))
            continue
        held: Value | None = None
        for index, (_, value) in enumerate(here):
            one = lane_value(value, lane)
            symbol = machine.symbols.of("returned", id(function.node), index, *given)
            symbol.behind = asked
            held = one if held is None else join(held, one, machine.symbols, symbol, choice_cause, older)
        lanes.append(held if held is not None else MISSING)
    present = next((value for value in lanes if value is not MISSING), NONE)
    lanes = [present if value is MISSING else value for value in lanes]
    cause = next((value.cause for _, value, _, _ in entries if value.cause is not None), None)
    if cause is None:
        cause = next((entry.why for entry in frame.returns if entry.why is not None), None)
    return row(tuple(lanes), cause or Cause("rank"))


def by_answers(entries: list[tuple[Way, Value]], symbols: Symbols, older: int, causes: dict[Symbol, Cause]) -> Value:
    """What is given back, by the answers to the questions on the way to each `return`."""
    if not entries:
        return MISSING
    way, value = entries[0]
    if not way:
        return value
    question = way[0][0]
    then, other = (
        by_answers(
            [
                (one[1:] if one[:1] == ((question, side),) else one, held)
                for one, held in entries
                if one[:1] != ((question, not side),)
            ],
            symbols,
            older,
            causes,
        )
        for side in (True, False)
    )
    return join(then, other, symbols, question, causes.get(question), older)
