"""Starting, guarding and ending ranks: spawn, decorators, exit, point-to-point calls."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.groups import group_in
from dtlint.machine.library.identity import lane_value_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Bound, Const, External, Object, Row, Tuple, Unknown, Value

GUARDS = {"main": "is_main", "local_main": "is_local_main", "last": "is_last"}


def decorate(machine: Machine, call: Invocation, decorating: bool) -> Value:
    """`@rank_zero_only`: the function runs on some ranks; the others get None."""
    kind = call.row.kind
    function = call.arguments[0] if call.arguments else None
    if kind in GUARDS and function is not None:
        guarded = machine.new("<guarded>", call.mask)
        guarded.facts.update(guard=GUARDS[kind], function=function, api=call.row.name)
        return Bound(External("dtlint.guarded"), None, (guarded,))
    if kind in GUARDS:
        return Bound(External(call.row.name), None)
    return function if function is not None else External("dtlint.identity")


def call_guarded(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine import calls
    from dtlint.machine.statements import branch

    guarded = call.arguments[0]
    assert isinstance(guarded, Object)
    holder: dict[object, Value] = {"value": NONE}
    value = lane_value_of(machine, guarded.facts["guard"], f"@{guarded.facts['api'].rpartition('.')[2]}")

    def inside(lanes: int) -> int:
        made = calls.call_value(machine, guarded.facts["function"], call.arguments[1:], call.keywords, lanes)
        machine.store(holder, "value", made, lanes, machine.world.full)
        return lanes

    branch(
        machine,
        value,
        call.mask,
        machine.current_at,
        lambda: f"@{guarded.facts['api'].rpartition('.')[2]}",
        inside,
        lambda lanes: lanes,
    )
    return holder["value"]


def leave(machine: Machine, call: Invocation) -> Value:
    """`sys.exit()`: these lanes end here."""
    frame = machine.frame
    frame.last_exit = ("exit", machine.current_at)
    frame.left |= call.mask
    return NONE


def spawn(machine: Machine, call: Invocation) -> Value:
    """The function runs once on every rank, its index first."""
    from dtlint.machine import calls

    extra = call.row.extra
    function = call.get(str(extra.get("function", "fn"))) or (call.arguments[0] if call.arguments else None)
    if function is None:
        return NONE
    from dtlint.machine import containers

    given = call.get(str(extra.get("args", "args")))
    items = containers.items_of(machine, given) if given is not None else ()
    arguments: tuple[Value, ...] = tuple(items or ())
    if extra.get("rank_first", True):
        arguments = (lane_value_of(machine, "rank", "the index given by spawn"), *arguments)
    calls.call_value(machine, function, arguments, (), call.mask)
    return NONE


def spawn_or_none(machine: Machine, call: Invocation) -> Value:
    return spawn(machine, call)


def point_to_point(machine: Machine, call: Invocation) -> Value:
    row = call.row
    peer = call.get(row.peer) if row.peer else None
    tensor = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), NONE)
    event = machine.emit_event(
        "p2p",
        row.op,
        call.name,
        call.mask,
        group=group_in(machine, call.get(row.group)) if row.group else machine.world_group,
        details=(("peer", peer),) if peer is not None else (),
        asynchronous=row.op in ("isend", "irecv"),
        subject=tensor,
    )
    if row.op in ("recv", "irecv") and isinstance(tensor, Object) and tensor.kind == "torch.Tensor":
        cause = machine.cause("data", f"`{row.op}` gives what the sender had")
        machine.set(tensor, "content", machine.unknown("received", token(tensor), cause=cause), call.mask)
    if row.op in ("isend", "irecv"):
        work = machine.new("torch.distributed.Work", call.mask)
        work.facts["event"] = event
        work.facts["tensors"] = (tensor,)
        event.extra["work"] = work
        return work
    return NONE


def forget(machine: Machine, call: Invocation) -> None:
    """An unknown function may have changed what it was given; optimism says it changed nothing that matters. It may
    have seeded the generators, if it says so."""
    from dtlint.machine.library import seeds

    seeds.foreign(machine, call.name)


def callback_result(machine: Machine, value: Value) -> Value:
    return machine.unknown("callback", token(value), cause=value.cause)


def batch_isend_irecv(machine: Machine, call: Invocation) -> Value:
    made = machine.new("list", call.mask)
    made.attributes["[]"] = machine.fresh("works")
    return made


MODELS = {
    "spawn": spawn,
    "batch_isend_irecv": batch_isend_irecv,
}
__all__ = ["MODELS", "Const", "Row", "Tuple", "Unknown", "decorate", "leave", "point_to_point", "spawn"]
