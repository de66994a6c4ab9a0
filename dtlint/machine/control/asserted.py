"""What is known of a value wherever the program goes on behind an `assert`?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.feeding import filled_shares
from dtlint.machine.logs import Log
from dtlint.machine.names import assignment
from dtlint.machine.names.expressions import evaluate
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import BY_RANK, Const, Object, Unknown, Value


def equal_from_here(machine: Machine, test: ir.Expr, operators: tuple[str, ...], mask: int) -> None:
    """`assert options.steps == 1`, `if options.steps != 1: raise`, where nobody knew: it is, wherever the program goes
    on. What one rank asserts, the others hold as well, and know no more of it."""
    if mask != machine.world.full or not isinstance(test, ir.Compare):
        return
    if len(test.pairs) > 1 or test.pairs[0][0] not in operators:
        return
    left, right = test.left, test.pairs[0][1]
    for own, shared in ((left, right), (right, left)):
        as_all_have(machine, own, shared, mask)
    if below_a_question(machine) or not isinstance(left, ir.Name | ir.Attr) or not isinstance(right, ir.Const):
        return  # what is asserted on one side of a branch, or in a turn of a loop, is no news behind it
    held = evaluate(machine, left, mask)
    if isinstance(held, Unknown) and held.cause is None and not held.tags:
        assignment.assign_target(machine, left, evaluate(machine, right, mask), mask)


def as_all_have(machine: Machine, own: ir.Expr, shared: ir.Expr, mask: int) -> None:
    """`assert count == share`, `assert len(mine) == share`, of a share that all ranks have: so they have the same."""
    listed = own.args[0] if isinstance(own, ir.Call) and len(own.args) == 1 else None
    if not isinstance(own if listed is None else listed, ir.Name | ir.Attr):
        return
    held, wanted = asked_again(machine, own, mask), asked_again(machine, shared, mask)
    if not is_own(held) or not is_of_all(wanted):
        return
    if listed is None:
        assignment.assign_target(machine, own, wanted, mask)
        return
    items = evaluate(machine, listed, mask)
    inner = items.attributes.get("[]") if isinstance(items, Object) else items
    if not isinstance(held, Unknown) or held.symbol.key[0] != "len" or not isinstance(inner, Unknown):
        return
    if isinstance(items, Object):
        machine.set(items, "[]", filled_shares.longer(machine, inner, wanted), mask)
    else:
        assignment.assign_target(machine, listed, filled_shares.longer(machine, inner, wanted), mask)


def asked_again(machine: Machine, side: ir.Expr, mask: int) -> Value:
    """One side of what was asserted, which has been worked out by then: it draws, meets other ranks and changes things
    once, and not for this."""
    mark = len(machine.journal)
    with machine.beside(Log(), mask):
        value = evaluate(machine, side, mask)
    machine.rollback(mark)
    return value


def is_own(value: Value) -> bool:
    """May each rank have another number, and is it not the number of the rank itself, or reckoned with it?"""
    return value.cause is not None and (isinstance(value, Unknown) or value.cause.kind not in BY_RANK)


def is_of_all(value: Value) -> bool:
    return isinstance(value, Const) or (isinstance(value, Unknown) and value.cause is None and not value.tags)


def below_a_question(machine: Machine) -> bool:
    frame: Frame | None = machine.frame
    while frame is not None:
        if frame.choices or frame.loops:
            return True
        frame = frame.caller
    return False
