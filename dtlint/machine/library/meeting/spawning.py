"""Which functions run in processes of their own, and what does each of these know?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.contents import containers, written
from dtlint.machine.control import started_apart
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing import seeds
from dtlint.machine.library.invocation import Invocation, Keywords
from dtlint.machine.library.meeting import group_start
from dtlint.machine.library.meeting.identity import lane_value_of
from dtlint.machine.library.meeting.origins import SITES, SPAWNED, WORKED
from dtlint.machine.library.python import options
from dtlint.machine.library.python.given_away import given_away
from dtlint.machine.library.python.run_later import unguarded
from dtlint.machine.values import (
    BY_RANK,
    NONE,
    Const,
    FunctionRef,
    Object,
    Unknown,
    Value,
)

BEGINS = "<begins on all ranks>"
APART = "apart"  # of a row, and of a run: its ranks train apart, until somebody does what this says
HANDED_ON = "orders handed on"  # of the run: where one process has listed or drawn what it hands to all ranks
INDEX = "spawn index"  # of the run: where processes have got their index on this machine


def spawn(machine: Machine, call: Invocation) -> Value:
    """The function runs once on every rank, its index first."""
    if given_away(machine):
        return NONE  # a whole program handed to somebody who may just want its signature
    extra = call.row.extra
    if extra.get("or_goes_on") and not call.arguments and call.get(str(extra["function"])) is None:
        return NONE  # `fabric.launch()`: all ranks go on from here, as from an `init_process_group()`
    machine.facts.setdefault(SPAWNED, True)
    if APART in extra:
        machine.facts[APART] = extra[APART]
    function = call.get(str(extra.get("function", "fn"))) or (call.arguments[0] if call.arguments else None)
    if function is None:
        return NONE
    given = call.get(str(extra.get("args", "args")))
    items = containers.items_of(machine, given) if given is not None else ()
    arguments: tuple[Value, ...] = tuple(items or ())
    arguments = tuple(the_world(machine, call.get("nprocs"), value) for value in arguments)
    if extra.get("receiver_first") and call.receiver is not None:
        arguments = (call.receiver, *call.arguments[1:])
    if extra.get("rank_first", True):
        for value in arguments:
            hand_over(machine, value, call.mask)
            machine.facts.setdefault(HANDED_ON, set()).update(orders_in(value))
        arguments = tuple(made_before(value) for value in arguments)
        index = lane_value_of(machine, "rank", "the index given by spawn")
        if index.cause is not None:
            machine.facts.setdefault(INDEX, set()).update(index.cause.steps()[:1])
        arguments = (index, *arguments)
    if extra.get("new_interpreter"):
        seeds.begin_anew(machine)
    given_on = tuple((name, value) for name, value in call.keywords if name not in call.row.params)
    with started_apart.left(machine):
        on_all_ranks(machine, function, arguments, given_on if extra.get("receiver_first") else (), call.mask)
    return NONE


def on_all_ranks(
    machine: Machine, function: Value, arguments: tuple[Value, ...], given_on: Any, mask: int, *limits: int
) -> None:
    """Each rank begins anew with this function, in a process that this one has started."""
    spawned(machine, function)
    machine.facts[BEGINS] = True
    begin(machine, function, arguments, given_on, mask, *limits)


def begin(
    machine: Machine, function: Value, arguments: tuple[Value, ...], given_on: Any, mask: int, *limits: int
) -> None:
    """However deep the place is that starts them."""
    from dtlint.machine.functions import calls

    followed = machine.deepest, machine.near
    limits = limits or followed
    machine.deepest, machine.near = (deep + len(machine.stack) for deep in limits)
    try:
        calls.call_value(machine, function, arguments, given_on, mask)
    finally:
        machine.deepest, machine.near = followed


def for_one(machine: Machine, function: FunctionRef, arguments: tuple[Value, ...], keywords: Keywords) -> bool:
    """`begin(0, 1, args)`, `begin(args.gpu, 1, args)` beside the processes that begin with the same function, each with
    its own number: this is for one process, and what it does has been seen."""
    if machine.facts.pop(BEGINS, False):
        return False
    known = machine.facts[SPAWNED]
    if not isinstance(known, set) or (function.path, function.name) not in known:
        return False
    told = any(
        value.cause is not None and value.cause.kind in BY_RANK for value in (*arguments, *(one for _, one in keywords))
    )
    if not told and group_start.beside_the_others(machine):
        return True
    numbered = any(isinstance(one, Const) and type(one.value) is int and one.scale is None for one in arguments)
    return numbered or (bool(arguments) and options.is_given(arguments[0]))


def spawned(machine: Machine, function: Value, where: str = SPAWNED) -> None:
    known = machine.facts.setdefault(where, True)
    inner = unguarded(function)
    if isinstance(inner, FunctionRef):
        names = known if isinstance(known, set) else set()
        machine.facts[where] = names | {(inner.path, getattr(inner.node, "qualname", inner.name))}
        machine.facts.setdefault(SITES, set()).add((machine.frame.path, machine.current_at))
        machine.facts.setdefault(group_start.SIDES, set()).update(machine.assumed)


def orders_in(value: Value) -> Iterator[Any]:
    """Where the orders come from that this was brought into."""
    for part in provenance.parts(value, 4):
        known = part.facts.get("ordered", ()) if isinstance(part, Object) else ()
        for mark in (*part.tags, *known):
            if isinstance(mark, tuple) and mark[0] in ("order", "ordered"):
                yield mark[1:4]


ONCE = frozenset({"clock", "random", "process", "memory", "host"})


def made_before(value: Value) -> Value:
    """What one process has drawn or read off its clock, and hands to all ranks that it starts."""
    if isinstance(value, Unknown) and value.cause is not None and value.cause.kind in ONCE:
        return Unknown(value.symbol, None, value.tags, value.like)
    return value


def hand_over(machine: Machine, value: Value, mask: int) -> None:
    """The same for what the thing that is handed over holds: `config.log_file`."""
    held = value.attributes if isinstance(value, Object) else written.onto(machine, value)
    if held is None:
        return
    for name, one in list(held.items()):
        told = made_before(one)
        if told is not one:
            machine.store(held, name, told, mask, machine.world.full)


def the_world(machine: Machine, count: Value | None, value: Value) -> Value:
    """`spawn(work, args=(count,), nprocs=count)`: what was spawned that often is the number of ranks."""
    if isinstance(count, Unknown) and isinstance(value, Unknown) and value.symbol is count.symbol:
        return lane_value_of(machine, "world_size", "the number of processes given to spawn")
    return value


def ignite_run(machine: Machine, call: Invocation) -> Value:
    """`parallel.run(training, config)`: local rank first, then what was given."""
    if call.arguments:
        machine.facts[APART] = call.row.extra[APART]
        index = lane_value_of(machine, "local_rank", "the index given by run")
        begin(machine, call.arguments[0], (index, *call.arguments[1:]), call.keywords, call.mask)
    return NONE


def by_workers(machine: Machine, call: Invocation) -> Value:
    """`TorchTrainer(train, train_loop_config=config)`: each worker is a rank, and is told the configuration. Who makes
    the trainer is one process."""
    function, told = call.get("train_loop_per_worker"), call.get("train_loop_config")
    if function is not None:
        machine.facts[APART] = call.row.extra[APART]
        if told is not None:
            hand_over(machine, told, call.mask)
        spawned(machine, function, WORKED)
        begin(machine, function, (told,) if told is not None else (), (), call.mask)
    return machine.fresh(call.row.name)


MODELS: dict[str, Any] = {
    "spawn": spawn,
    "trained_by_workers": by_workers,
    "fabric_launch": spawn,
    "ignite_parallel_run": ignite_run,
}
