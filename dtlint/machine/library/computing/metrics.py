"""Which numbers from one rank's part of the data are shown or decide something?

A batch carries the mark `("loader", number)`, and so does everything computed from it until a collective agrees on it.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents.containers import KEPT
from dtlint.machine.contents.opaque import is_temporary, opaque
from dtlint.machine.contents.presence import asks_presence
from dtlint.machine.control.agreeing import PUT_TOGETHER
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import marks
from dtlint.machine.library.feeding import cut_shares
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.roots import OFF, TO_ONE
from dtlint.machine.library.training import gradient_parts
from dtlint.machine.names import attributes
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import BY_RANK, FALSE, NONE, TRUE, Cause, Const, Object, Row, Symbol, Tuple, Unknown, Value

LOADER = "loader"
HOLDERS = ("torch.Tensor", "dict", "list")


def loaders_in(values: tuple[Value, ...]) -> frozenset[int]:
    found = marks.deep_tags(values)
    return frozenset(tag[1] for tag in found if isinstance(tag, tuple) and tag[0] == LOADER)


def shown(machine: Machine, call: Invocation) -> None:
    """`print(…)`, `writer.add_scalar(…)`: a number of this rank's data, without its rank beside it."""
    if call.mask != machine.world.full and gradient_parts.holds_part(machine, call.values) and not named(call.values):
        machine.emit_event("record", "part-shown", call.name, call.mask, extra={"call": call})
    if any(map(is_temporary, call.values)):
        return  # into a file that is read again and goes
    cut_shares.shown(machine, call)
    alone = call.mask & (call.mask - 1) == 0
    if not local(call.values) and not (alone and kept_alone(call.values)):
        if any(is_put_together(value) for value in held_in(call.values)):
            machine.emit_event("record", AGREED_SHOWN, call.name, call.mask, extra={"call": call})
        return
    if call.row.extra.get("shows") == "alone" and call.mask == machine.world.full:
        return  # every rank keeps what it has seen
    found = loaders_in(call.values)
    if found:
        how = "metric-steers" if call.row.extra.get("shows") == "steers" else "metric-shown"
        machine.emit_event("record", how, call.name, call.mask, extra={"loaders": found, "call": call})


def local(values: tuple[Value, ...]) -> bool:
    """Does one of the values differ by data, and none by rank? What was multiplied by the number of ranks is meant for
    all of them."""
    own = (value for value in held_in(values) if not (isinstance(value, Unknown) and FOR_ALL in value.tags))
    return not named(values) and any(value.cause is not None and value.cause.kind == "data" for value in own)


AGREED_SHOWN = "agreed-shown"


def is_put_together(value: Value) -> bool:
    return value.cause is None and any(type(tag) is tuple and tag[0] == PUT_TOGETHER for tag in value.tags)


FOR_ALL = "times the ranks"  # tag: one rank's number, and as much of it for each of the others


def for_all(left: Value, right: Value, made: Value) -> Value:
    """`count * world_size`"""
    if isinstance(made, Unknown) and any(isinstance(side, Const) and side.scale == "world" for side in (left, right)):
        return Unknown(made.symbol, made.cause, made.tags | {FOR_ALL}, made.like)
    return made


def kept_alone(values: tuple[Value, ...]) -> bool:
    """`if rank == 0: history.append(loss)`: it is there on one rank only, and says what that rank saw."""
    return any(isinstance(tag, tuple) and tag[0] == KEPT for tag in marks.deep_tags(values))


def named(values: tuple[Value, ...]) -> bool:
    """Is the rank told beside it?"""
    by_rank = any(cause.kind in BY_RANK for cause in causes_in(values))
    return by_rank or any(isinstance(value, Row) for value in values)


def causes_in(values: tuple[Value, ...]) -> list[Cause]:
    return [value.cause for value in held_in(values) if value.cause is not None]


def held_in(values: tuple[Value, ...]) -> list[Value]:
    held = [
        inner
        for value in values
        if isinstance(value, Object) and value.kind in HOLDERS
        for part in value.attributes.values()
        for inner in (part.items if isinstance(part, Tuple) else (part,))
    ]
    return [*values, *held]


def decided(machine: Machine, value: Value, mask: int) -> None:
    """`if rank == 0 and value < best`: one rank decides on what it saw itself. `if value < best` on all of them
    matters where only one acts upon it."""
    held, asked = value, "metric-decides"
    if isinstance(value, Row):
        unknown = [lane for lane in value.lanes if lane.tags]
        if len(unknown) != 1 or value.lanes[0] is not unknown[0]:
            return
        held = unknown[0]
    elif mask == machine.world.full:
        asked = "metric-asked"
    elif mask != 1:
        return
    if held.tags and held.cause is not None and held.cause.kind == "data" and not only_presence(held):
        found = frozenset() if told_to_one(held) else loaders_in((held,))
        if found:
            machine.emit_event("record", asked, "", mask, extra={"loaders": found, "values": (held,)})


def told_to_one(value: Value) -> bool:
    """What all have reduced to one rank: that one has everybody's, and what the others have is another question."""
    return any(isinstance(tag, tuple) and tag[0] in (OFF, TO_ONE) for tag in value.tags)


def only_presence(value: Value) -> bool:
    """`if speaker is not None`: whether there is one, not how large it is."""
    return isinstance(value, Unknown) and asks_presence(value.symbol)


def in_a_loop(machine: Machine) -> bool:
    """Of this function or of one that called it."""
    frame: Frame | None = machine.frame
    while frame is not None:
        if frame.loops:
            return True
        frame = frame.caller
    return False


def grown(machine: Machine, tensor: Value, op: str) -> None:
    """`total += …` on a tensor that stays; a division afterwards makes a sum a mean again."""
    if isinstance(tensor, Object) and in_a_loop(machine):
        machine.emit_event("record", "grown" if op == "+" else "emptied", "", tensor.birth, subject=tensor)
        if op == "+":
            machine.facts.setdefault("growing", set()).add(tensor.number)


def named_anew(machine: Machine, target: ir.Expr, value: Value, mask: int) -> None:
    """`total = torch.zeros(2)` where the name has stood for a total that grows: the next turn begins with nothing."""
    if isinstance(target, ir.Name) and isinstance(value, Object) and value.kind == "torch.Tensor":
        before = attributes.lookup(machine, target.id)  # the program itself does not read it here
        if isinstance(before, Object) and before is not value and before.number in machine.facts["growing"]:
            emptied(machine, before, mask)


OWN_COUNTS, OWN_TURNS = "counts of one rank", "loops of one rank"
OWN_SHARE = ("shard", "last batch")


def divided_by(machine: Machine, count: Unknown) -> None:
    """What stands below the line is a number of this rank's own: of what it was given, of what the data hold, or of
    the turns of a loop that are not equally many."""
    cause, counted = count.cause, count.symbol.key
    if counted[0] == "builtins.max" and isinstance(counted[1], Symbol):
        counted = counted[1].key  # `max(count, 1)`: not by nothing
    inner = [part.key for part in counted[1:] if isinstance(part, Symbol)]
    total = [key for key in inner if key[0] == "loop"] if counted[0] == "op +" else []
    by_content = cause is not None and cause.kind == "data" and bool(total) and any(map(cut_shares.is_sum, counted[1:]))
    if cause is None or (cause.kind == "data" and not by_content):
        loops = machine.facts.get(OWN_TURNS, {})
        cause = next((loops[key[1]] for key in total if loops.get(key[1]) is not None), None)
    dealt = machine.facts.get(DEALT_SUMS, {})
    cause = next((found for key in (counted, *inner) if (found := dealt.get(key[:3])) is not None), cause)
    if cause is not None and (cause.kind in OWN_SHARE or by_content):
        machine.facts.setdefault(OWN_COUNTS, {})[count.symbol] = cause


DEALT_SUMS = "sums over what is dealt out"  # fact of the run: why a loop adds to these more often on some ranks


def added(machine: Machine, total: Value, holder: int) -> None:
    """`if number % world != rank: continue`, `tokens += len(text)`: each rank adds up in turns of its own."""
    from dtlint.machine.contents.containers import taken_apart

    if isinstance(total, Unknown) and total.symbol.key[0] == "loop":
        part = taken_apart(machine, holder)
        machine.facts.setdefault(DEALT_SUMS, {})[total.symbol.key[:3]] = part.uneven if part is not None else None


def turning(machine: Machine, node: Any, cause: Cause | None) -> None:
    """Are the turns of this loop equally many on all ranks, this time?"""
    if cause is not None or OWN_TURNS in machine.facts:
        machine.facts.setdefault(OWN_TURNS, {})[id(node)] = cause


def emptied(machine: Machine, tensor: Object, mask: int) -> None:
    if in_a_loop(machine):
        machine.emit_event("record", "emptied", "", mask, subject=tensor)


def computed(machine: Machine, call: Invocation) -> Value | None:
    """`metric.compute()` asks the other ranks, unless the metric was told to keep to its own, or how to ask."""
    made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    if not isinstance(made, Invocation):
        return None
    given = dict(made.keywords)
    alone = given.get("dist_sync_fn", NONE) != NONE or given.get("sync_on_compute", TRUE) == FALSE
    return of_one_rank_alone(machine, call) if alone else None


def of_one_rank_alone(machine: Machine, call: Invocation) -> Value | None:
    """What a metric makes of that which it was shown on this rank."""
    metric = call.receiver
    made = metric.facts.get("call") if isinstance(metric, Object) else None
    asks = call.row.extra.get("asks_when")
    if asks and isinstance(made, Invocation) and any(name in (asks, None) for name, _ in made.keywords):
        return machine.unknown("computed", token(metric) if metric is not None else "")
    held = metric.attributes.get("content") if isinstance(metric, Object) else None
    return opaque(machine, "compute", *(value for value in (metric, held, *call.values) if value is not None))


def changed(machine: Machine, call: Invocation) -> Value:
    """`metric.update(outputs, targets)`: the metric holds something of all it was shown since `reset()`."""
    metric = call.receiver
    if isinstance(metric, Object):
        known = (metric.attributes["content"],) if "content" in metric.attributes else ()
        seen = opaque(machine, "update", *known, *call.values) if call.values else NONE
        machine.set(metric, "content", seen, call.mask)
    return metric if metric is not None else NONE


MODELS: dict[str, Any] = {
    "torchmetrics_compute": computed,
    "metric_changed": changed,
    "metric_of_one_rank": of_one_rank_alone,
}
