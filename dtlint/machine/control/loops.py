"""How often does a loop turn, and what does it leave behind?

The body is run on widened state (what it changes is unknown at its start), again when the first run shows that more
changes than the syntax says. Short loops over known items are unrolled, because `for r in range(world_size)` is how
ranks take turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import containers, filled_by
from dtlint.machine.contents.items import (
    in_order,
    items_by_lane,
    of_environment,
    of_groups,
    of_settings,
    short_items,
    turns_of,
    walked,
)
from dtlint.machine.control import known_turns, over_generators
from dtlint.machine.control.loop_ends import broken, otherwise
from dtlint.machine.control.turns import by_itself, merge_leavings, rejoin, turn
from dtlint.machine.core import Machine
from dtlint.machine.lanes import groups, lanes_in
from dtlint.machine.library.feeding import filled_shares, totals
from dtlint.machine.library.meeting import children
from dtlint.machine.library.python import one_by_one, own_order
from dtlint.machine.library.python.generators import stops_alike
from dtlint.machine.logs import Decision, Guards
from dtlint.machine.names.assignment import assign_target
from dtlint.machine.names.frames import LoopState
from dtlint.machine.values import Cause, Object, Row, Unknown, Value


def run_for(machine: Machine, node: ir.For, mask: int) -> int:
    staying = walk(machine, node, mask)
    if children.WAITING in machine.facts:
        children.after_loop(machine)
    return staying


def walk(machine: Machine, node: ir.For, mask: int) -> int:
    iterable = containers.one_walk(machine.evaluate(node.iterable, mask))
    mask &= ~machine.frame.left
    iterable = library.reading.given_by_own(machine, iterable, mask)
    walked(machine, iterable, mask)
    idle = lanes_without_items(machine, iterable, mask)
    if not idle:
        return walk_over(machine, node, iterable, mask)
    assert isinstance(iterable, Row)
    busy = mask & ~idle
    held = [iterable.lanes[lane] for lane in lanes_in(busy)]
    only = held[0] if all(one is held[0] or one == held[0] for one in held) else iterable
    decision = partly(machine, node, iterable.cause, busy, mask)
    return idle | machine.guarded(decision, lambda: walk_over(machine, node, only, busy))


def lanes_without_items(machine: Machine, iterable: Value, mask: int) -> int:
    """`writer.names() if writer else ()`: the lanes that walk over nothing, where others walk over something that is
    not known item by item."""
    if not isinstance(iterable, Row) or all_short(machine, iterable):
        return 0
    idle = sum(1 << lane for lane in lanes_in(mask) if containers.items_of(machine, iterable.lanes[lane]) == ())
    return idle if idle != mask else 0


def all_short(machine: Machine, iterable: Row) -> bool:
    return all(short_items(machine, held) is not None for held in iterable.lanes)


def walk_over(machine: Machine, node: ir.For, iterable: Value, mask: int) -> int:
    from dtlint.machine.names.expressions import text_of

    some = filled_by.holders(iterable, mask)
    if some is not None:
        inside = partly(machine, node, some[1], some[0], mask)
        return machine.guarded(inside, lambda: walk_over(machine, node, iterable, some[0])) | mask & ~some[0]
    items = (
        short_items(machine, iterable)
        or of_groups(machine, node, iterable)
        or of_settings(machine, node, iterable)
        or of_environment(machine, node, iterable, mask)
    )
    if items is not None and isinstance(iterable, Object) and one_by_one.BEGUN in iterable.facts:
        return unroll(machine, node, one_by_one.walked(machine, iterable, mask), mask, iterable.cause)
    if items is not None and not own_order.of_texts(machine, iterable):
        return unroll(machine, node, [(item, mask) for item in items], mask)
    by_lane = items_by_lane(machine, iterable)
    together = in_order(by_lane, mask) if by_lane is not None else None
    if by_lane is not None and together is not None:
        return unroll(machine, node, together, mask, by_lane.cause)
    if isinstance(iterable, Row) and all_short(machine, iterable):
        return unroll_apart(machine, node, iterable, mask)
    if by_lane is not None:  # each lane has the items in an order of its own
        return unroll_apart(machine, node, by_lane, mask)
    iterable = library.reading.listed(iterable)
    run = over_generators.walked(machine, iterable, mask)  # `__iter__` of the project may be one
    if run is not None:
        return over_generators.run_loop(machine, node, *run, mask)
    trip, cause = turns_of(machine, iterable, mask)
    if cause is not None and stops_alike(machine):
        trip = cause = None
    return turn(
        machine,
        node,
        mask,
        trip,
        cause,
        iterable,
        "for",
        lambda: f"for {text_of(node.target)} in {text_of(node.iterable)}",
        lambda lanes: bind_item(machine, node, iterable, lanes),
    )


def bind_item(machine: Machine, node: ir.For, iterable: Value, mask: int) -> int:
    machine.current_at = node.at  # a later turn comes from the end of the body
    item = own_order.told(machine, iterable, library.reading.element(machine, iterable, mask), node.at)
    machine.frame.loops[-1].item = item
    assign_target(machine, node.target, item, mask)
    return mask


def unroll_apart(machine: Machine, node: ir.For, iterable: Row, mask: int) -> int:
    """Lanes walk over short things of their own: each over what it holds."""
    staying = 0
    for held, lanes in groups(iterable, mask):
        items = short_items(machine, held) or ()
        decision = partly(machine, node, iterable.cause, lanes, mask)

        def inside(items: tuple[Value, ...] = items, lanes: int = lanes) -> int:
            return unroll(machine, node, [(item, lanes) for item in items], lanes)

        staying |= machine.guarded(decision, inside)
    return staying


def partly(machine: Machine, node: ir.For, cause: Cause | None, lanes: int, mask: int) -> Decision:
    from dtlint.machine.names.expressions import text_of

    frame = machine.frame
    text = f"what is in {text_of(node.iterable)}"
    return Decision("branch", frame.path, node.at, text, cause, lanes, mask, frame.scope)


def unroll(
    machine: Machine, node: ir.For, items: Iterable[tuple[Value, int]], mask: int, cause: Cause | None = None
) -> int:
    """One item after the other, each for the lanes that have it."""
    frame = machine.frame
    state = LoopState(managers=len(machine.frame.exits), one_by_one=True)
    frame.loops.append(state)
    outer, outer_sinks, gone = frame.guards, machine.sinks, len(frame.leavings)
    staying, finished = mask, 0
    try:
        for item, lanes in items:
            going = staying & lanes
            if not going:
                continue
            frame.guards = Guards(partly(machine, node, cause, going, staying), outer) if going != staying else outer
            assign_target(machine, node.target, item, going)
            staying = (by_itself(machine, state, node.body, going) | staying & ~going) & ~frame.left
        finished = staying
    finally:
        frame.loops.pop()
        frame.guards = outer
    ended = broken(state, finished)
    rejoin(machine, state, "break", outer_sinks, gone)
    merge_leavings(machine, state, "break")
    if node.orelse and finished:
        finished = otherwise(machine, node, finished, ended)
    return (finished | state.broke) & ~frame.left


def run_while(machine: Machine, node: ir.While, mask: int) -> int:
    from dtlint.machine.contents.truth import truth
    from dtlint.machine.names.expressions import text_of

    known = known_turns.turned(machine, node, mask)
    if known is not None:
        return known
    box: dict[str, Any] = {}

    def enter(lanes: int) -> int:
        state = machine.frame.loops[-1]
        state.asked = node.test if not node.orelse else None
        value = machine.evaluate(node.test, lanes)
        state.asked = None
        true, _, unsure, cause, asked = truth(machine, value, lanes, counted=True)
        box.update(true=true, unsure=unsure, cause=cause, value=value, asked=asked)
        return (true | unsure) & ~machine.frame.left

    staying = turn(machine, node, mask, None, None, None, "while", lambda: f"while {text_of(node.test)}", enter, box)
    asked = box.get("value")
    if isinstance(asked, Unknown) and totals.has_rest(asked.symbol, machine.world.size):
        fill(machine, node.test, asked, staying)
    elif isinstance(asked, Unknown) and asked.cause is not None:
        filled_shares.filled_in_turns(machine, node.test, staying)
    return staying


def fill(machine: Machine, test: ir.Expr, asked: Value, mask: int) -> None:
    """`while len(files) % world: files.append(files[0])`: from here on there are as many as a multiple of the ranks."""
    asks = test.left if isinstance(test, ir.Compare) else test
    length = asks.left if isinstance(asks, ir.BinOp) and asks.op == "%" else None
    if isinstance(length, ir.Call) and len(length.args) == 1:
        counted = machine.evaluate(length.args[0], mask)
        if isinstance(counted, Object) and counted.kind == "list":
            held = totals.filled_up(machine, counted.attributes.get("[]"), asked)
            machine.set(counted, "[]", held, mask)
