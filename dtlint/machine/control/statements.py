"""How does each statement move the lanes? `run(machine, statements, mask)` returns the lanes that fall through."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, variables_in
from dtlint.machine import library
from dtlint.machine.contents import dictionaries, rearranged
from dtlint.machine.contents.truth import truth
from dtlint.machine.control import asserted, attempts, caught, loop_ends, loops, raised, with_statements
from dtlint.machine.control.branches import branch
from dtlint.machine.control.failures import by_hand
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import metrics
from dtlint.machine.library.feeding import multiples
from dtlint.machine.library.meeting import lost_handles, processes
from dtlint.machine.library.python import iterators
from dtlint.machine.logs import ASSERTED, EXITS, FAILED_EXIT, NOTED, Decision, Guards, plain_question
from dtlint.machine.names import assignment, patterns, scopes
from dtlint.machine.names.expressions import evaluate, text_of
from dtlint.machine.names.frames import Frame, Returned
from dtlint.machine.values import BY_RANK, FALSE, MISSING, NONE, Cause, ClassRef, Const, Object, Row, Unknown, Value

Runner = Callable[[Machine, Any, int], int]


def run(machine: Machine, statements: Iterable[ir.Stmt], mask: int) -> int:
    frame = machine.frame
    for statement in statements:
        machine.spend()
        at = getattr(statement, "at", None)
        if at is not None:
            machine.current_at = at
        before = mask
        mask = RUNNERS[type(statement)](machine, statement, mask)
        mask &= ~frame.left
        if not mask:
            return 0
        if mask != before and not isinstance(statement, ir.If):
            note_departure(machine, before, mask)
    return mask


def note_departure(machine: Machine, before: int, staying: int) -> None:
    """Some lanes left inside a call or a loop: what follows is guarded by that."""
    word, at = machine.frame.last_exit
    place = at or machine.current_at
    cause = machine.facts.pop("departure cause", None)
    decision = Decision(
        "exit",
        machine.frame.path,
        machine.current_at,
        word or "exit",
        cause,
        before & ~staying,
        before,
        machine.frame.scope,
        place,
        word,
    )
    machine.frame.guards = Guards(decision, machine.frame.guards)


# --- simple statements -----------------------------------------------------------------------------------------


def run_expression(machine: Machine, node: ir.ExprStmt, mask: int) -> int:
    value = evaluate(machine, node.value, mask)
    if "running" in machine.facts:
        lost_handles.dropped(machine, value, node.value)
    library.noticing.discarded(machine, node.value, value, mask)
    return mask


def run_pass(machine: Machine, node: ir.Stmt, mask: int) -> int:
    return mask


def leave(machine: Machine, word: str, at: Any) -> None:
    machine.frame.last_exit = (word, at)


def run_return(machine: Machine, node: ir.Return, mask: int) -> int:
    value: Value = evaluate(machine, node.value, mask) if node.value is not None else NONE
    frame = machine.frame
    mask &= ~frame.left
    split = next((choice for choice in reversed(frame.choices) if choice.cause is not None), None)
    cause = split.cause if split is not None else None
    if split is not None and cause is not None:
        cause = said(split)
    decision = frame.choices[-1] if frame.choices else None
    answers = [one for one in frame.answers if one is not None]
    way = None if frame.loops or len(answers) < len(frame.choices) else tuple(answers)
    asked = split.symbol if split is not None else None
    made = Returned(mask, value, cause, decision, machine.control_cause(), way, asked)
    if way is not None and cause is not None:
        own = zip(frame.choices, answers, strict=False)
        made.causes = {question: said(choice) for choice, (question, _) in own if choice.cause is not None}
    frame.returns.append(made)
    library.noticing.turn_ends(machine, mask, returns=True)
    leave(machine, "return", node.at)
    return 0


def said(choice: Decision) -> Cause:
    assert choice.cause is not None
    return choice.cause.then(Step.of(choice, f"`{choice.text}` decides what is returned"))


CONTROLS = ("StopIteration", "StopAsyncIteration", "GeneratorExit", "KeyboardInterrupt", "Exit")
ABSTRACT = "NotImplementedError"
ON_ONE_MACHINE = "on one machine"  # the program says so
NEVER = (ABSTRACT, "AssertionError")  # whoever raises them says that nobody comes here


def run_raise(machine: Machine, node: ir.Raise, mask: int) -> int:
    value = evaluate(machine, node.value, mask) if node.value is not None else None
    frame = machine.frame
    kind = getattr(value, "kind", value)
    kind = kind if isinstance(kind, ClassRef) else by_hand(name_of(value))
    if kind is not None:
        raised.note(machine, kind, node.at, mask)
    if isinstance(frame.node, ir.Function) and frame.node.name == "__next__" and name_of(value).endswith(CONTROLS):
        iterators.stopped(machine, frame.node)
    if name_of(value).endswith(ABSTRACT) and left_open(frame, node) and not machine.trying:
        return as_configured(machine, node, mask)
    going_on = caught.raised(machine, value, node.at, mask) if value is not None and frame.tries else None
    if going_on is not None:
        return going_on
    word = way_out(machine, node, mask) if value is not None and is_system_exit(value) else "raise"
    if value is not None and mask != machine.world.full and name_of(value).endswith(NEVER):
        word = ASSERTED
    if word == "raise" and mask != machine.world.full and not_set_up(machine, node):
        return as_configured(machine, node, mask)
    if word == "raise" and value is not None and fails_for_certain(machine, value, mask):
        if not isinstance(frame.node, ir.Function) or not at_the_end(frame.node.body, node):
            return mask
        return as_configured(machine, node, mask)
    frame.left |= mask
    leave(machine, word, node.at)
    if word in EXITS:
        machine.ended(mask, node.at)
    return 0


def way_out(machine: Machine, node: ir.Raise, mask: int) -> str:
    """`raise SystemExit(status)`; what a call gives was asked for once and is not asked for again."""
    status = node.value.args[0] if isinstance(node.value, ir.Call) and node.value.args else None
    if status is None or any(isinstance(one, ir.Call) for one in every_node(status)):
        return "exit"
    return FAILED_EXIT if processes.tells_failure(evaluate(machine, status, mask)) else "exit"


def as_configured(machine: Machine, node: ir.Raise, mask: int) -> int:
    """What would be given back with other settings, or by another class."""
    machine.frame.returns.append(Returned(mask, machine.fresh("as configured"), None, None, None))
    leave(machine, "return", node.at)
    return 0


def left_open(frame: Frame, statement: ir.Raise) -> bool:
    """A method that does nothing else: who is called here is a class that has one of its own."""
    function = frame.node
    if not isinstance(function, ir.Function) or frame.receiver is None or function.body[-1:] != (statement,):
        return False
    return all(isinstance(one, ir.ExprStmt) and isinstance(one.value, ir.Const) for one in function.body[:-1])


def fails_for_certain(machine: Machine, raised: Value, mask: int) -> bool:
    """All ranks come to this `raise`, whatever happens, and nobody catches it: a program that cannot work is one whose
    options are set somewhere else than here, so the raise is for other settings than its author's."""
    if mask != machine.world.full or machine.trying or name_of(raised).endswith(CONTROLS):
        return False
    frame: Frame | None = machine.frame
    if not isinstance(machine.frame.node, ir.Function):
        return False
    while frame is not None:
        if frame.choices or frame.loops or frame.on_yield is not None or frame.left:
            return False
        frame = frame.caller
    return True


def not_set_up(machine: Machine, node: ir.Raise) -> bool:
    """`if _LOGGER is None: raise …` in a helper, asked by some ranks: nobody was seen to set it up, and then it fails
    for whoever asks."""
    frame = machine.frame
    if not isinstance(frame.node, ir.Function) or frame.choices or frame.loops:
        return False
    around = next((one for one in frame.node.body if isinstance(one, ir.If) and node in one.body), None)
    names = variables_in(around.test) if around is not None else set()
    return bool(names) and all(frame.globals.variables.get(name) == NONE for name in names)


def at_the_end(body: tuple[Any, ...], statement: ir.Stmt) -> bool:
    """Does nothing of the body come after it?"""
    last = body[-1] if body else None
    if isinstance(last, ir.If):
        return at_the_end(last.body, statement) or at_the_end(last.orelse, statement)
    if isinstance(last, ir.With):
        return at_the_end(last.body, statement)
    return last is statement


def is_system_exit(value: Value) -> bool:
    return name_of(value).endswith("SystemExit")


def name_of(raised: Value | None) -> str:
    if isinstance(raised, Unknown):
        return str(raised.symbol.key[0])
    kind = getattr(raised, "kind", None) or getattr(raised, "name", "")
    return kind if isinstance(kind, str) else ""


def run_break(machine: Machine, node: ir.Break, mask: int) -> int:
    if machine.frame.loops:
        loop_ends.breaks(machine, node.at, mask)
    leave(machine, "break", node.at)
    return 0


def run_continue(machine: Machine, node: ir.Continue, mask: int) -> int:
    if machine.frame.loops:
        machine.frame.loops[-1].continued |= mask
        library.noticing.turn_ends(machine, mask)
    leave(machine, "continue", node.at)
    return 0


def run_delete(machine: Machine, node: ir.Delete, mask: int) -> int:
    for target in node.targets:
        if isinstance(target, ir.Index):
            base, index = evaluate(machine, target.value, mask), evaluate(machine, target.index, mask)
            dictionaries.take_out(machine, base, index, mask)
            if isinstance(base, Object) and base.kind == "list":
                rearranged.rearranged(machine, base, operator.delitem, (index,), mask)
        elif isinstance(target, ir.Attr):
            take_from(machine, evaluate(machine, target.value, mask), target.name, mask)
    return mask


def take_from(machine: Machine, thing: Value, name: str, mask: int) -> None:
    """`del model.head`, of an instance of the project's, on all ranks that have one."""
    if isinstance(thing, Object) and isinstance(thing.kind, ClassRef) and mask & thing.birth == thing.birth:
        if name in thing.attributes:
            machine.set(thing, name, MISSING, mask)


def run_assert(machine: Machine, node: ir.Assert, mask: int) -> int:
    """`assert rank == 0`: the author says that the others never come here, so they are taken out, and nobody waits.
    `assert local_rank == -1`, `assert world_size == 1`, `assert device_count() == 1`: all of them are, in a program of
    several ranks. `assert rank == 0 and world_size == 1` says both, `assert world_size == device_count()` only that
    they are all on one machine, as does `assert local_rank == rank`."""
    parts = node.test.values if isinstance(node.test, ir.BoolOp) and node.test.op == "and" else (node.test,)
    for test in parts:
        mask = assert_one(machine, node, test, mask) if mask else mask
    return mask


def assert_one(machine: Machine, node: ir.Assert, test: ir.Expr, mask: int) -> int:
    if isinstance(test, ir.Const) and not test.value:  # `assert False`: nobody goes on from here
        machine.frame.left |= mask
        leave(machine, "raise" if mask == machine.world.full else ASSERTED, node.at)
        return 0
    value = evaluate(machine, test, mask)
    given_by_then(machine, test, mask)
    _, false, unsure, _, symbol = truth(machine, value, mask)
    if unsure == mask:
        multiples.answered(machine, symbol, True)
        if value.cause is not None and value.cause.kind == "exception":
            machine.emit_event("record", NOTED, "", mask, extra={"why": value.cause})
    if unsure == mask and not machine.trying:
        asked, given = plain_question(symbol)
        if asked is not None:
            machine.assumed.append((asked, given))  # as long as nobody looks at the other side of a decision above
    if tells_of_a_side(machine):
        return mask
    if unsure == mask:
        asserted.equal_from_here(machine, test, ("==", "is"), mask)
    scales = scales_compared(machine, test, mask)
    if (false == mask and scales == {"world", "local"}) or scales == {"rank", "local rank"}:
        machine.facts[ON_ONE_MACHINE] = True
        return mask
    if not names_one_rank(machine, test, value, mask) and not (false == mask and scales):
        return mask
    if false:
        machine.frame.left |= false
        leave(machine, ASSERTED, node.at)
        return mask & ~false
    return mask


def tells_of_a_side(machine: Machine) -> bool:
    """`if rank == source: assert stage == 0`, where nobody knows which rank that is: the assertion tells of this one,
    and takes nobody out of those that may be meant."""
    return any(one.cause is not None and one.cause.kind in BY_RANK for one in machine.frame.choices)


def given_by_then(machine: Machine, test: ir.Expr, mask: int) -> None:
    """`assert group is not None`, as far as was seen it is: by the time this is run somebody has set it."""
    if isinstance(test, ir.Compare) and [op for op, _ in test.pairs] == ["is not"]:
        thing = test.left
        if isinstance(thing, ir.Name | ir.Attr) and evaluate(machine, thing, mask) == NONE:
            assignment.assign_target(machine, thing, machine.fresh("given by then"), mask)


def names_one_rank(machine: Machine, test: ir.Expr, value: Value, mask: int) -> bool:
    """`rank == 0`, and what answers that; `0 <= rank < size` is true of all ranks, whatever is known of the size."""
    if isinstance(test, ir.Compare):
        if [op for op, _ in test.pairs] not in (["=="], ["in"]):
            return False
        if value.cause is None and isinstance(test.left, ir.Name | ir.Attr):
            value = evaluate(machine, test.left, mask)
    return value.cause is not None and value.cause.kind in BY_RANK


def scales_compared(machine: Machine, test: ir.Expr, mask: int) -> set[str]:
    """Is something compared with the number of ranks, or with that of a node's devices? Is the one number of a rank
    compared with the other?"""
    if not isinstance(test, ir.Compare) or [op for op, _ in test.pairs] != ["=="]:
        return set()
    sides = [side for side in (test.left, test.pairs[0][1]) if isinstance(side, ir.Name | ir.Attr | ir.Call)]
    held = [asserted.asked_again(machine, side, mask) for side in sides]
    scales = {str(value.scale) for value in held if isinstance(value, Const) and value.scale in ("world", "local")}
    ranks = {value.cause.kind for value in held if isinstance(value, Row)}
    return scales | (ranks & {"rank", "local rank"})


# --- branches --------------------------------------------------------------------------------------------------


def run_if(machine: Machine, node: ir.If, mask: int) -> int:
    above, machine.asking = machine.asking, node
    value = evaluate(machine, node.test, mask)
    machine.asking = above
    mask &= ~machine.frame.left
    if value.cause is not None:
        metrics.decided(machine, value, mask)
    left = branch(
        machine,
        value,
        mask,
        node.at,
        lambda: text_of(node.test),
        lambda lanes: run(machine, node.body, lanes),
        lambda lanes: run(machine, node.orelse, lanes),
    )
    if left == mask and not node.orelse and isinstance(node.body[-1], ir.Raise):
        asserted.equal_from_here(machine, node.test, ("!=", "is not"), mask)
    return left


# --- with, match -----------------------------------------------------------------------------------------------


def run_match(machine: Machine, node: ir.Match, mask: int) -> int:
    subject = evaluate(machine, node.subject, mask)

    def from_case(index: int, lanes: int) -> int:
        if index == len(node.cases):
            return lanes
        case = node.cases[index]
        value = patterns.match(machine, case.pattern, subject, lanes)
        if case.guard is not None and value != FALSE:
            value = patterns.together(machine, "and", [value, evaluate(machine, case.guard, lanes)])
        return branch(
            machine,
            value,
            lanes,
            case.at or node.at,
            lambda: f"case of {text_of(node.subject)}",
            lambda taken: run(machine, case.body, taken),
            lambda left: from_case(index + 1, left),
        )

    return from_case(0, mask)


RUNNERS: dict[type, Runner] = {
    ir.ExprStmt: run_expression,
    ir.Assign: assignment.run_assign,
    ir.AugAssign: assignment.run_augmented,
    ir.AnnAssign: assignment.run_annotated,
    ir.Return: run_return,
    ir.Raise: run_raise,
    ir.Break: run_break,
    ir.Continue: run_continue,
    ir.Pass: run_pass,
    ir.Delete: run_delete,
    ir.Assert: run_assert,
    ir.If: run_if,
    ir.While: loops.run_while,
    ir.For: loops.run_for,
    ir.Try: attempts.run_try,
    ir.With: with_statements.run_with,
    ir.Function: scopes.run_function,
    ir.Class: scopes.run_class,
    ir.Import: scopes.run_import,
    ir.ImportFrom: scopes.run_import_from,
    ir.Global: scopes.run_global,
    ir.Nonlocal: scopes.run_global,
    ir.Match: run_match,
}
