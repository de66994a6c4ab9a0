"""What does a point-to-point call do: who sends to whom, and what is still on its way afterwards?"""

from __future__ import annotations

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import ALONE, lanes_in, row, token
from dtlint.machine.library.computing import marks
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import works
from dtlint.machine.library.meeting.groups import group_in
from dtlint.machine.logs import Event, Group
from dtlint.machine.values import NONE, Cause, Const, External, Object, Row, Value, lane_value

OPERATION = "torch.distributed.P2POp"
RECEIVES = ("recv", "irecv")
STARTS = ("isend", "irecv")


def point_to_point(machine: Machine, call: Invocation) -> Value:
    row_ = call.row
    group = group_in(machine, call.get(row_.group)) if row_.group else machine.world_group
    tensor = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), NONE)
    return transfer(machine, call, row_.op, call.mask, group, peer_of(machine, call, group), tensor)


def transfer(
    machine: Machine, call: Invocation, op: str, mask: int, group: Group | None, peer: Value | None, tensor: Value
) -> Value:
    details = [("peer", peer)] if peer is not None else []
    tag = call.get(str(call.row.extra.get("tag", "tag")))
    event = machine.emit_event(
        "p2p",
        op,
        call.name,
        mask,
        group=group,
        details=tuple(details),
        asynchronous=op in STARTS,
        subject=tensor,
        extra={"tag": tag, "call": call},
    )
    if op in RECEIVES and isinstance(tensor, Object) and tensor.kind == "torch.Tensor":
        cause = machine.cause("data", f"`{op}` gives what the sender had")
        machine.set(tensor, "content", machine.unknown("received", token(tensor), cause=cause), mask)
    if op in STARTS:
        return started(machine, call, event, op)
    return NONE


def started(machine: Machine, call: Invocation, event: Event, op: str) -> Object:
    written = tuple(call.row.params[:1]) if op == "irecv" else ()
    work = works.made(machine, call, event, written)
    work.facts["tensors"] = call.arguments[:1]
    sent = call.get(call.row.params[0]) if op == "isend" else None
    key = works.tensor_key(sent)
    if key is not None:
        machine.facts[works.SENDING] = {**machine.facts.get(works.SENDING, {}), key: work.number}
    return work


def peer_of(machine: Machine, call: Invocation, group: Group | None) -> Value | None:
    """The global rank on the other side; a rank inside the group is translated where the group is known."""
    peer = call.get(call.row.peer) if call.row.peer else None
    if peer is not None and peer != NONE:
        return peer
    inside = call.get(str(call.row.extra.get("peer_in_group", "")))
    if inside is None or inside == NONE or group is None:
        return machine.fresh("peer") if inside is not None and inside != NONE else None
    lanes: list[Value] = []
    for lane in range(machine.world.size):
        held = lane_value(inside, lane)
        members = list(lanes_in(group.members[lane]))
        known = isinstance(held, Const) and isinstance(held.value, int) and 0 <= held.value < len(members)
        lanes.append(Const(members[held.value], "rank") if known else machine.fresh("peer"))  # type: ignore[attr-defined]
    return row(tuple(lanes), inside.cause or Cause("rank"))


# --- batches ---------------------------------------------------------------------------------------------------


def operation(machine: Machine, call: Invocation) -> Value:
    """`P2POp(isend, tensor, peer)`: nothing happens until the batch is started."""
    made = machine.new(OPERATION, call.mask)
    made.facts["call"] = call
    return made


def batch(machine: Machine, call: Invocation) -> Value:
    given = call.get(call.row.params[0]) if call.row.params else None
    found: list[Value] = []
    for mask, items in lanes_of(machine, given, call.mask):
        if items is None or not all(isinstance(item, Object) and item.kind == OPERATION for item in items):
            machine.emit_event("p2p", "batch_isend_irecv", call.name, mask, group=machine.world_group, subject=given)
            continue
        for item in items:
            found.extend(start_one(machine, call, item.facts["call"], mask))  # type: ignore[attr-defined]
    return machine.new_list(tuple(found) if given is not None and not isinstance(given, Row) else None, call.mask)


def lanes_of(machine: Machine, given: Value | None, mask: int) -> list[tuple[int, tuple[Value, ...] | None]]:
    """The known items of a list, lane group by lane group where lanes appended different things."""
    held = given.attributes.get("[]") if isinstance(given, Object) and given.kind == "list" else given
    if not isinstance(held, Row):
        return [(mask, containers.items_of(machine, given) if given is not None else None)]
    found = []
    for lane in lanes_in(mask):
        one = held.lanes[lane]
        found.append((1 << lane, containers.items_of(machine, one)))
    return found


def start_one(machine: Machine, batch_call: Invocation, call: Invocation, mask: int) -> list[Value]:
    ops = call.get("op")
    group = group_in(machine, call.get(call.row.group)) if call.row.group else machine.world_group
    peer = call.get("peer")
    if peer is None and call.get("group_peer") is not None:
        peer = machine.fresh("peer")
    made: list[Value] = []
    for lanes in same_operation(ops, mask):
        op = lane_value(ops, next(lanes_in(lanes))) if ops is not None else None
        word = op.name.rpartition(".")[2] if isinstance(op, External) else "batch_isend_irecv"
        inner = Invocation(batch_call.name, call.row, None, (call.get("tensor") or NONE,), (), lanes, batch_call.node)
        event = machine.emit_event(
            "p2p",
            word,
            batch_call.name,
            lanes,
            group=group,
            details=(("peer", peer),) if peer is not None else (),
            asynchronous=True,
            subject=call.get("tensor"),
            extra={"tag": call.get("tag"), "call": inner, "batch": True},
        )
        work = works.made(machine, inner, event, ())
        tensor = call.get("tensor")
        if word == "irecv" and tensor is not None:
            marks.put_into(machine, tensor, (works.RUNNING, work.number), lanes)
        made.append(work)
    return made


def same_operation(ops: Value | None, mask: int) -> list[int]:
    if not isinstance(ops, Row):
        return [mask]
    groups: list[tuple[Value, int]] = []
    for lane in lanes_in(mask):
        held = ops.lanes[lane]
        for index, (known, lanes) in enumerate(groups):
            if known == held:
                groups[index] = (known, lanes | 1 << lane)
                break
        else:
            groups.append((held, 1 << lane))
    return [lanes for _, lanes in groups]


def received(machine: Machine, call: Invocation) -> Value:
    """What a store holds for everybody: the ranks that do not read it are those that have put it there."""
    return machine.unknown("received", *(token(value) for value in call.values), tags=frozenset({ALONE}))


MODELS = {"received": received, "p2p_op": operation, "batch_isend_irecv": batch}
