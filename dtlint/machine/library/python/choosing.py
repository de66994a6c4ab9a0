"""Which of its items does `filter` let through?"""

from __future__ import annotations

from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import opaque as unknown_of
from dtlint.machine.core import Machine
from dtlint.machine.lanes import row, token
from dtlint.machine.library.feeding import named_parts, sharding
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import (
    BY_SHARE,
    NONE,
    Bound,
    Cause,
    Const,
    External,
    FunctionRef,
    Object,
    Tuple,
    Unknown,
    Value,
)

SHORT = 8  # items that are judged one by one


def filter_(machine: Machine, call: Invocation) -> Value | None:
    """Some of the items: which of them, nobody knows, unless a function of the project chooses them by rank or by
    worker."""
    if len(call.arguments) != 2:
        return None
    known = told_apart(machine, call)
    if known is not None:
        return known
    chosen = chosen_between(machine, call) if isinstance(call.arguments[0], FunctionRef) else None
    if chosen is not None:
        return chosen
    held = containers.held_in(call.arguments[1])
    return unknown_of(machine, call.name, call.arguments[0], held) if isinstance(held, Unknown) else None


def told_apart(machine: Machine, call: Invocation) -> Value | None:
    """Where it is known of each item whether it stays, on each lane."""
    from dtlint.machine.contents.truth import truth
    from dtlint.machine.functions import calls

    function, several = call.arguments
    items = containers.items_of(machine, several)
    if items is None or len(items) > SHORT or not isinstance(function, FunctionRef | Bound | External | Const):
        return None
    judged = [
        item if function == NONE else calls.call_value(machine, function, (item,), (), call.mask) for item in items
    ]
    stays: list[int] = []
    cause: Cause | None = None
    for answer in judged:
        true, _, unsure, why, _ = truth(machine, answer, machine.world.full)
        if unsure:
            return None
        stays.append(true)
        cause = cause or why or answer.cause
    lanes = [
        Tuple(tuple(item for item, who in zip(items, stays, strict=True) if who >> lane & 1))
        for lane in range(machine.world.size)
    ]
    made = machine.new("list", call.mask)
    made.attributes["[]"] = row(tuple(lanes), cause) if cause is not None else lanes[0]
    return made


def chosen_between(machine: Machine, call: Invocation) -> Value | None:
    """`filter(lambda pair: pair[0] % world == rank, enumerate(items))`"""
    from dtlint.machine.contents.truth import truth
    from dtlint.machine.functions import calls
    from dtlint.machine.library.feeding import inside

    function, items = call.arguments
    source = library.reading.iterated(machine, items, call.mask)
    item = library.reading.element(machine, source, call.mask)
    answer = calls.call_value(machine, function, (item,), (), call.mask)
    cause = truth(machine, answer, call.mask)[3]
    by_rank = cause is not None and cause.kind in BY_SHARE
    if not by_rank and not inside.knows_worker(answer):
        return None
    some, tags = None, source.tags | item.tags
    if cause is not None:
        share = sharding.skipped(machine, cause, source, named_parts.looked_for(answer))
        some, tags = share.cause, tags | share.marks | (frozenset() if share.even else {containers.UNEVEN})
    made = machine.new("list", call.mask)
    like = item if isinstance(item, Object | Tuple) else None
    symbol = machine.symbols.of("chosen", token(source), token(answer))
    made.attributes["[]"] = Unknown(symbol, some or source.cause, tags, like)
    return made
