"""What a collective does to the log and to the values that pass through it."""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.contents import containers, in_place
from dtlint.machine.contents.containers import is_list
from dtlint.machine.control.agreeing import AGREED, OWN_OF_GATHERED, PUT_TOGETHER, RECEIVED
from dtlint.machine.core import Machine
from dtlint.machine.lanes import ALONE, lanes_in, received, restrict, token
from dtlint.machine.library.computing import marks, provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import group_start, meetings, roots, unread, unseen, works
from dtlint.machine.library.meeting.groups import group_in
from dtlint.machine.library.python.files import is_path, path_of, text_of
from dtlint.machine.library.training import own_gradients, stepping
from dtlint.machine.logs import Event, Group
from dtlint.machine.values import NONE, ClassRef, Const, External, Object, Row, Tuple, Unknown, Value


def condition_holds(machine: Machine, call: Invocation) -> bool:
    """Does the row's `when` hold? Unknown conditions do not: dtlint reports what it can show."""
    when = call.row.when
    if isinstance(call.receiver, Object) and call.receiver.facts.get("alone"):
        return False
    off = machine.facts.get("disabled")
    if off and call.row.extra.get("disabled_by") in off:
        return False
    starters = call.row.extra.get("workers_of")
    if starters and not any(machine.project.mentioning(name) for name in starters):
        return False  # nobody starts workers that could meet here
    if call.row.extra.get("joinable") and machine.facts.get("join"):
        return False  # ranks without data answer in its place
    if not when or when in ("training", "always"):
        return True
    if when == "gradients":
        return not stepping.grad_is_off(machine)
    if "=" in when:
        return all(is_given(call, condition) for condition in when.split(", "))
    if when == "engine" and isinstance(call.receiver, Object) and call.receiver.facts.get("engine"):
        return True
    return when in ("sharded", "engine") and is_sharded(machine, call)


def is_given(call: Invocation, condition: str) -> bool:
    """`keyword=value`, where nothing given is False or None; `keyword!=value` holds unless just this is given."""
    name, unless, wanted = condition.partition("!=")
    if unless:
        given = call.get(name)
        return not (isinstance(given, Const) and str(given.value) == wanted)
    name, _, wanted = condition.partition("=")
    given = call.get(name)
    if given is None:
        return wanted in ("False", "None")
    return isinstance(given, Const) and str(given.value) == wanted


def is_sharded(machine: Machine, call: Invocation) -> bool:
    """Does this program keep sharded state (FSDP, ZeRO-3), by what the receiver or the program shows?"""
    for value in (call.receiver, *call.values):
        if isinstance(value, Object) and value.facts.get("sharded"):
            return True
    return bool(machine.facts.get("sharded"))


def perform_collective(machine: Machine, call: Invocation) -> Value:
    row = call.row
    if not condition_holds(machine, call):
        return result_value(machine, call, None)
    group = communicator(machine, call)
    asynchronous = False
    if row.asynchronous:
        flag = call.get(row.asynchronous)
        asynchronous = isinstance(flag, Const) and flag.value is True
    event = machine.emit_event(
        "collective",
        row.op or row.name.rpartition(".")[2],
        call.name,
        call.mask,
        group=group,
        details=details(call),
        implicit=row.implicit,
        asynchronous=asynchronous,
        subject=call.receiver or (call.arguments[0] if call.arguments else None),
        extra={
            "tensor": tensor_of(call),
            "call": call,
            "held": held_by(call),
            "parted": parted(machine, call),
            group_start.ASKED: group_start.ASKED in machine.facts,
        },
    )
    unread.performed(machine, call, event.extra["held"])
    own_gradients.reduced(machine, call.values)
    unseen.performed(machine, call, event.extra["held"])
    roots.added_up(machine, call, event.extra["held"])
    sanitise(machine, call, group)
    stepping.collective_done(machine, call, event)
    if row.root:
        roots.landed(machine, call, event)
    result = stepping.given_back(machine, call, event, result_value(machine, call, event))
    return kept_alone(call, group, result)


def parted(machine: Machine, call: Invocation) -> list[tuple[Unknown, Object, Object]]:
    """Tensors of which each rank brings the one or the other: what it knows alone has decided."""
    known = machine.symbols.parted
    given = (value for value in call.values if isinstance(value, Unknown))
    return [(value, *known[value.symbol]) for value in given if value.symbol in known]


def tensor_of(call: Invocation) -> Value | None:
    """What the call makes equal, also where something else is told first, or what it is given."""
    named = (call.get(name) for name in call.row.same)
    return next((value for value in named if value is not None), next(iter(call.values), None))


def held_by(call: Invocation) -> Value | None:
    """What the tensor, or a list of them, holds before the call."""
    given = tensor_of(call)
    if not isinstance(given, Object):
        return given
    if given.kind == "list":
        return given.attributes.get("[]")
    return given.attributes.get("content") if given.kind == "torch.Tensor" else given


def kept_alone(call: Invocation, group: Group | None, value: Value) -> Value:
    """What some ranks get from a call that others of its group do not make beside them. Where the others never make
    it, nobody comes this far: it is no second finding that the rest holds something else."""
    if not isinstance(value, Unknown) or group is None or value.cause is not None:
        return value
    if any(group.members[lane] & ~call.mask for lane in lanes_in(call.mask)):
        return Unknown(value.symbol, None, value.tags | {ALONE}, value.like)
    return value


def communicator(machine: Machine, call: Invocation) -> Group | None:
    if not call.row.group:
        return machine.world_group
    if call.row.group == "self":
        receiver = call.receiver
        if isinstance(receiver, Object) and "group" in receiver.facts:
            found = receiver.facts["group"]
            return found if isinstance(found, Group) else None
        made: Invocation | None = receiver.facts.get("call") if isinstance(receiver, Object) else None
        if made is not None and made.row.group not in ("", "self"):
            return communicator(machine, made)
        return machine.world_group
    given = call.get(call.row.group)
    return group_in(machine, given)


def details(call: Invocation) -> tuple[tuple[str, Value], ...]:
    """Arguments that all ranks must agree on: the root and whatever the row names."""
    found = []
    for name in (call.row.root, *call.row.agree):
        if name:
            value = call.get(name)
            if value is None or value == NONE:
                value = External("torch.distributed.ReduceOp.SUM") if name in ("op", "reduction") else Const(0)
                if name not in (call.row.root, "op"):
                    continue
            found.append((name, value))
    return tuple(found)


def sanitise(machine: Machine, call: Invocation, group: Group | None) -> None:
    """What the collective made equal: the tensor object's content, or the variable it was given in."""
    handed_out(machine, call)
    for param in call.row.same:
        value = call.get(param)
        expression = call.expression(param)
        agree(machine, call, value, expression, param, group)
        heard_before(machine, call, expression)


def handed_out(machine: Machine, call: Invocation) -> None:
    """What a rank holds of what one of them has sent to each: what it was does not count any more."""
    for param in call.row.extra.get("differs", ()) if call.row.root else ():
        value = call.get(param)
        held = machine.unknown(RECEIVED, call.row.op, param, machine.symbols.fresh("time"))
        if isinstance(value, Object) and value.kind == "torch.Tensor":
            machine.set(value, "content", held, call.mask)
        elif isinstance(value, Object) and value.kind == "list":
            items = containers.items_of(machine, value)
            machine.set(value, "[]", Tuple((held,)) if items is not None and len(items) == 1 else held, call.mask)
        elif isinstance(value, Unknown | Row) and call.expression(param) is not None:
            in_place.changed(machine, call.expression(param), value, held, call.mask)


def heard_before(machine: Machine, call: Invocation, expression: ir.Expr | None) -> None:
    """The root sends what it holds under a name that the others gave, in the branch before this one, to what they
    receive: `if rank != 0: text = received() else: text = input(); broadcast([text])`. In the branch behind the root's
    the others receive into a list of their own what it holds in its list under the same name."""
    assert machine.frame is not None
    variables, others = machine.frame.variables, list(lanes_in(machine.world.full & ~call.mask))
    for node in every_node(expression) if others else ():
        held = variables.get(node.id) if isinstance(node, ir.Name) else None
        if not isinstance(held, Row):
            continue
        mine = held.lanes[next(lanes_in(call.mask))]
        if all(received(held.lanes[lane]) for lane in others):
            machine.store(variables, node.id, held.lanes[others[0]], call.mask, machine.frame.mask)
        elif is_list(mine) and received(mine) and all(is_list(held.lanes[lane]) for lane in others):
            machine.store(variables, node.id, mine, machine.world.full & ~call.mask, machine.world.full)


def agree(
    machine: Machine,
    call: Invocation,
    value: Value | None,
    expression: ir.Expr | None,
    param: str,
    group: Group | None,
) -> None:
    if value is None:
        return
    if lists_apart(machine, call, value, group):
        return
    own = meetings.got_there(machine, call, group, param, agreed(machine, call, value, param))
    clean = kept_alone(call, group, own)
    if isinstance(value, Object) and value.kind == "torch.Tensor":
        machine.set(value, "content", clean, call.mask)
    elif isinstance(value, Object) and value.kind in ("list", "dict", "set"):
        sources = root_items(machine, call, value) if call.row.root else None
        items = containers.items_of(machine, value)
        if items is not None and value.kind == "list":
            known = sources is not None and len(sources) == len(items)
            tags = of_loaders(value)
            held = sources if sources and known else tuple(machine.fresh(AGREED, tags=tags) for _ in items)
            machine.set(value, "[]", Tuple(tuple(kept_alone(call, group, one) for one in held)), call.mask)
        else:
            held = (machine.fresh(AGREED, tags=of_loaders(value)),)
            machine.set(value, "[]", kept_alone(call, group, held[0]), call.mask)
        told_by_each(machine, call, held)
    elif isinstance(value, Unknown | Row):  # `send(*arguments)`: whoever called has a name for it
        in_place.changed(machine, expression, value, clean, call.mask)


def lists_apart(machine: Machine, call: Invocation, value: Value, group: Group | None) -> bool:
    """`held = [data] if rank == 0 else [None]`: a list of its own on the root, and what is in it comes to all."""
    if not isinstance(value, Row) or not call.row.root:
        return False
    lists = [value.lanes[lane] for lane in lanes_in(call.mask)]
    root = root_of(call)
    if not all(isinstance(one, Object) and one.kind == "list" for one in lists) or root >= len(value.lanes):
        return False
    given = value.lanes[root]
    sources = root_items(machine, call, given) if isinstance(given, Object) else None
    if sources is None:
        return False
    for one in dict.fromkeys(lists):
        assert isinstance(one, Object)
        machine.set(one, "[]", Tuple(tuple(kept_alone(call, group, source) for source in sources)), call.mask)
    return True


def root_of(call: Invocation) -> int:
    return known_root(call) or 0


def known_root(call: Invocation) -> int | None:
    """The first rank where none is named; nobody knows which, where it is computed."""
    root = call.get(call.row.root) if call.row.root else None
    if root is None:
        return 0
    return root.value if isinstance(root, Const) and isinstance(root.value, int) and root.value >= 0 else None


def told_by_each(machine: Machine, call: Invocation, gathered: tuple[Value, ...]) -> None:
    """What each rank gave of its own is kept for who compares it with what came from all."""
    given = call.get("obj")
    if given is not None and call.row.op == "all_gather_object":
        known = machine.facts.setdefault(OWN_OF_GATHERED, {})
        known.update((one.symbol, token(given)) for one in gathered if isinstance(one, Unknown))


def agreed(machine: Machine, call: Invocation, value: Value, param: str) -> Value:
    """The value after agreement: what the root held where that is known, otherwise unknown and the same."""
    held = value.attributes.get("content", value) if isinstance(value, Object) else value
    sender = known_root(call) if call.row.op.startswith("broadcast") or call.row.root else None
    if sender is not None and isinstance(held, Row) and sender < len(held.lanes):
        if isinstance(held.lanes[sender], Const):
            return held.lanes[sender]
    tags = of_loaders(held)
    return machine.unknown(AGREED, token(held), sender, call.row.op, param, machine.symbols.fresh("time"), tags=tags)


def of_loaders(value: Value) -> frozenset[Any]:
    """Tags of what the ranks have put together: of which loaders' batches it was made."""
    return frozenset((PUT_TOGETHER, loader) for loader in marks.loaders_of(value))


def root_items(machine: Machine, call: Invocation, value: Object) -> tuple[Value, ...] | None:
    """What a broadcast list holds afterwards: the root's objects, structure included."""
    held = value.attributes.get("[]")
    if not isinstance(held, Tuple | Row):
        return None
    lane = root_of(call)
    if not call.mask >> lane & 1:
        return None  # these ranks only receive: what they hold is gone
    if isinstance(held, Row):
        held = held.lanes[lane] if 0 <= lane < len(held.lanes) else held.lanes[0]
    if not isinstance(held, Tuple) or not held.items:
        return None
    return tuple(of_root(machine, call, one, lane) for one in held.items)


def of_root(machine: Machine, call: Invocation, item: Value, lane: int) -> Value:
    if isinstance(item, Row):
        item = item.lanes[lane] if 0 <= lane < len(item.lanes) else item.lanes[0]
    if isinstance(item, Tuple):
        return Tuple(tuple(of_root(machine, call, one, lane) for one in item.items))
    if isinstance(item, Unknown):
        agreed = Unknown(machine.symbols.of(AGREED, item.symbol, lane), None, item.tags, item.like)
        return provenance.without(agreed, "order")
    if isinstance(item, Object) and item.kind == "list" and isinstance(item.attributes.get("[]"), Unknown):
        inner = item.attributes["[]"]
        made = machine.new_list(None, call.mask)
        made.attributes["[]"] = machine.unknown(AGREED, token(inner), like=getattr(inner, "like", None))
        return made
    inside = item.attributes.get("[]") if isinstance(item, Object) and item.kind == "list" else None
    if isinstance(inside, Tuple):
        return machine.new_list(tuple(of_root(machine, call, one, lane) for one in inside.items), call.mask)
    if is_path(item):
        return path_of(machine, of_root(machine, call, text_of(item), lane), call.mask)
    if isinstance(item, Object) and (item.kind == "dict" or isinstance(item.kind, ClassRef)):
        return record_of_root(machine, call, item, lane)
    if isinstance(item, Object) and "order" in item.attributes:
        made = machine.anew(item, call.mask)
        del made.attributes["order"]  # the root's is everybody's
        return made
    return item


def record_of_root(machine: Machine, call: Invocation, item: Object, lane: int) -> Object:
    """`RunIdentity(name, seed)` made on every rank of its own: what arrives has the root's fields."""
    own = {name: held for name, held in item.attributes.items() if text_of(held).cause is not None}
    if not own:
        return item
    made = machine.new(item.kind, call.mask)
    made.facts.update(item.facts)
    made.attributes.update(item.attributes)
    made.attributes.update({name: of_root(machine, call, held, lane) for name, held in own.items()})
    return made


def result_value(machine: Machine, call: Invocation, event: Event | None) -> Value:
    row = call.row
    first = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), NONE)
    match row.result:
        case "none" | "":
            if event is not None and event.asynchronous:
                return work(machine, call, event)
            if event is not None and event.op == "barrier":
                works.met(machine, event)
            return NONE
        case "same":
            held = first
            if isinstance(held, Row | Unknown | Object):
                like = held if isinstance(held, Object) and held.kind == "dict" else None
                tags = of_loaders(held)
                return machine.unknown(AGREED, row.op, token(held), machine.symbols.fresh("time"), tags=tags, like=like)
            return machine.unknown(AGREED, row.op, token(held), machine.symbols.fresh("time"))
        case "argument":
            clean = agreed(machine, call, first, row.params[0] if row.params else "")
            if event is None:
                return first
            return clean
        case "root" | "root or none":
            cause = machine.cause("rank", f"the result of `{row.op}` is valid on the destination only")
            tags = roots.tags_of_result(machine, call, event)
            return machine.unknown(f"on {row.result}", row.op, machine.symbols.fresh("time"), cause=cause, tags=tags)
        case "work":
            return work(machine, call, event)
        case "differs":
            given = next((value.cause for value in call.values if value.cause is not None), None)
            tags = frozenset(tag for value in call.values for tag in value.tags)
            return machine.unknown("result", row.op, machine.symbols.fresh("time"), cause=given, tags=tags)
    return machine.fresh(row.op or row.name)


def work(machine: Machine, call: Invocation, event: Event | None) -> Value:
    differs = call.row.extra.get("differs", ())
    made = works.made(machine, call, event, (*call.row.same, *differs))
    made.facts["tensors"] = tuple(call.get(param) for param in call.row.same) or call.arguments[:1]
    return restrict(made, call.mask)
