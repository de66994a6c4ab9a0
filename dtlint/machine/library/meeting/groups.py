"""Which ranks talk to each other? Process groups."""

from __future__ import annotations

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, restrict, row, token
from dtlint.machine.library.feeding.whole_batches import RANGES, is_number
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Group
from dtlint.machine.values import NONE, Cause, Const, External, Object, Row, Symbol, Tuple, Unknown, Value, lane_value

PARTED = "parted"  # fact of a group: it is one of those that a loop has made, each of the ranks next in line
MEMBERS = "members"  # of an event: the list that a group is made for, by the names it has
LISTED = "listed"  # symbol: a list of numbers, by its first, its last and the step between
GROUP_KIND = "torch.distributed.ProcessGroup"


def names_of_list(ranks: Value) -> tuple[object, ...]:
    """What it may be known by: `list(column)` has the members of `column`, and so has `sorted(column)`."""
    held = ranks.attributes.get("[]") if isinstance(ranks, Object) and ranks.kind == "list" else None
    key = held.symbol.key if isinstance(held, Unknown) else ()
    return (token(ranks), key[1]) if key[:1] in (("list",), ("sorted",)) else (token(ranks),)


BEGUN = "group that was begun"  # fact of a run: that of all, where fewer have begun it than there are processes


def group_in(machine: Machine, value: Value | None) -> Group | None:
    """The communicator behind a `group=` argument; None when nobody knows."""
    if value is None or value == NONE:
        return of_all(machine)
    if isinstance(value, External) and value.name.rpartition(".")[2] in ("WORLD", "group"):
        return of_all(machine)
    if isinstance(value, Object):
        found = value.facts.get("group")
        if isinstance(found, Group):
            return found
        inner = value.attributes.get("process_group")
        return group_in(machine, inner) if isinstance(inner, Object) and inner is not value else None
    if isinstance(value, Row):
        groups = [group_in(machine, held) if held != NONE else None for held in value.lanes]
        if all(group is None for group in groups):
            return None
        members = tuple(group.members[lane] if group is not None else 0 for lane, group in enumerate(groups))
        if any(group is None and value.lanes[lane] != NONE for lane, group in enumerate(groups)):
            return None
        return Group("group", members)
    return None


def begun(machine: Machine, call: Invocation) -> Group:
    """All ranks, unless as many come as `init_process_group(world_size=2)` waits for: the others have no part in it, or
    in what is done with the group of all from then on."""
    size = call.get("world_size") if call.row.op == "init" else None
    lanes = list(lanes_in(call.mask))
    if not isinstance(size, Const) or size.scale is not None or not 1 < len(lanes) < machine.world.size:
        return machine.world_group
    if size.value != len(lanes):
        return machine.world_group
    before = of_all(machine).members
    machine.facts[BEGUN] = Group(
        "group", tuple(call.mask if lane in lanes else held & ~call.mask for lane, held in enumerate(before))
    )
    return Group("group", tuple(call.mask if lane in lanes else 0 for lane in range(machine.world.size)))


def of_all(machine: Machine) -> Group:
    """The group of a call that names none."""
    known: Group = machine.facts.get(BEGUN, machine.world_group)
    return known


def make_group(machine: Machine, members: tuple[int, ...], mask: int, name: str = "group") -> Object:
    """`number` counts the groups a rank has made: that is how torch itself tells them apart."""
    machine.groups += 1
    counted = machine.facts.setdefault("groups made", [0] * machine.world.size)
    for lane in lanes_in(mask):
        counted[lane] += 1
    number = counted[0] if mask == machine.world.full and len(set(counted)) == 1 else 0
    made = machine.new(GROUP_KIND, mask)
    made.facts["group"] = Group(name, members, number)
    return made


def member_masks(machine: Machine, ranks: Value | None) -> list[int] | None:
    """The lanes that each lane lists."""
    found = []
    for lane in range(machine.world.size):
        mask = member_mask(machine, at_lane(machine, ranks, lane) if ranks is not None else None)
        if mask is None:
            return None
        found.append(mask)
    return found


def at_lane(machine: Machine, value: Value, lane: int) -> Value:
    """A list as one lane sees it, with the items that lane holds."""
    held = lane_value(value, lane)
    if isinstance(held, Object) and held.kind == "builtins.range":
        numbers = range_items(held, lane)
        return Tuple(tuple(numbers)) if numbers is not None else held
    inside = held.attributes.get("[]") if isinstance(held, Object) and held.kind == "list" else None
    if isinstance(inside, Row):
        return inside.lanes[lane]
    items = containers.items_of(machine, held)
    if items is not None and any(isinstance(item, Row) for item in items):
        return Tuple(tuple(lane_value(item, lane) for item in items))
    return held


def deep_cause(machine: Machine, value: Value) -> Cause | None:
    if isinstance(value, Object) and value.kind == "builtins.range":
        items: tuple[Value, ...] = tuple(value.attributes[name] for name in ("start", "stop", "step"))
    else:
        held = value.attributes.get("[]") if isinstance(value, Object) and value.kind == "list" else None
        items = (held,) if isinstance(held, Row | Unknown) else containers.items_of(machine, value) or ()
    return value.cause or next((item.cause for item in items if item.cause is not None), None)


def member_mask(machine: Machine, ranks: Value | None) -> int | None:
    """The lanes in a list of ranks; None when the list is not known."""
    if ranks is None or ranks == NONE:
        return machine.world.full
    if isinstance(ranks, Object) and ranks.kind == "builtins.range":
        numbers: list[Value] | None = range_items(ranks)
    else:
        held = containers.items_of(machine, ranks)
        numbers = list(held) if held is not None else None
    if numbers is None:
        return None
    mask = 0
    for number in numbers:
        if not (isinstance(number, Const) and isinstance(number.value, int)):
            return None
        if 0 <= number.value < machine.world.size:
            mask |= 1 << number.value
    return mask


def range_items(value: Object, lane: int | None = None) -> list[Value] | None:
    parts = [value.attributes.get(name) for name in ("start", "stop", "step")]
    if lane is not None:
        parts = [lane_value(part, lane) if part is not None else None for part in parts]
    if not all(isinstance(part, Const) and isinstance(part.value, int) for part in parts):
        return None
    start, stop, step = (part.value for part in parts)  # type: ignore[union-attr]
    if step == 0 or abs(stop - start) > 64:
        return None
    return [Const(number) for number in range(start, stop, step)]


def new_group(machine: Machine, call: Invocation) -> Value:
    """Every rank of the world takes part in making a group, members or not."""
    ranks = call.get(str(call.row.extra.get("members", "ranks")))
    masks = member_masks(machine, ranks)
    extra = {MEMBERS: names_of_list(ranks)} if ranks is not None else {}
    if masks is None:
        made = machine.new(GROUP_KIND, call.mask)
        ranks = as_written(machine, ranks) if ranks is not None else None
        made.facts[PARTED] = ranks is not None and is_block(machine, ranks)
    else:
        members = tuple(mask if mask >> lane & 1 else 0 for lane, mask in enumerate(masks))
        made = make_group(machine, members, call.mask)
        cause = deep_cause(machine, ranks) if ranks is not None else None
        if cause is not None:
            ranks = row(tuple(Const(mask) for mask in masks), cause)
            if all(mask == 1 << lane for lane, mask in enumerate(masks)):
                ranks = None  # each rank alone with itself: nobody is waited for
        elif ranks is not None and len(set(masks)) == 1:
            ranks = Const(masks[0])  # told apart from what other ranks ask for elsewhere
    local = call.get("use_local_synchronization")
    if not (isinstance(local, Const) and local.value is True):
        details = (("ranks", ranks),) if ranks is not None else ()
        everybody = machine.world_group
        machine.emit_event(
            "collective", "new_group", call.name, call.mask, group=everybody, details=details, extra=extra
        )
    return made


def as_written(machine: Machine, ranks: Value) -> Value:
    """A list nobody knows, by how it was made: `list(range(first, last))` is the same list wherever it is made."""
    numbers = range_behind(machine, ranks)
    cause = deep_cause(machine, numbers)
    if not isinstance(numbers, Object) or numbers.kind != "builtins.range":
        return ranks if cause is None else machine.unknown(LISTED, token(ranks), cause=cause)
    ends = (token(numbers.attributes[name]) for name in ("start", "stop", "step"))
    return machine.unknown(LISTED, *ends, cause=cause)


def range_behind(machine: Machine, ranks: Value) -> Value:
    """What `list(range(first, last))` was made of; anything else is what it is."""
    held = ranks.attributes.get("[]") if isinstance(ranks, Object) and ranks.kind == "list" else None
    if not isinstance(held, Unknown) or held.symbol.key[0] != "list" or len(held.symbol.key) != 2:
        return ranks
    made_of = held.symbol.key[1]
    if not isinstance(made_of, tuple) or made_of[0] != "object":
        return ranks
    numbers: Value = machine.facts.get(RANGES, {}).get(made_of[1], ranks)
    return numbers


def is_block(machine: Machine, ranks: Value) -> bool:
    """`range(first, first + size)` in a loop over `range(0, world_size, size)`"""
    key = ranks.symbol.key if isinstance(ranks, Unknown) else ()
    if key[:1] != (LISTED,) or not is_number(key[1]) or not isinstance(key[2], Symbol):
        return False
    walked = machine.facts.get(RANGES, {}).get(key[1].key[1])
    if walked is None:
        return False
    start, stop, step = (walked.attributes[name] for name in ("start", "stop", "step"))
    all_ranks = isinstance(stop, Const) and stop.scale == "world"
    return start == Const(0) and all_ranks and key[2].key == ("op +", key[1], token(step)) and key[3] == 1


def new_subgroups(machine: Machine, call: Invocation) -> Value:
    machine.emit_event("collective", "new_group", call.name, call.mask, group=machine.world_group)
    size = call.get("group_size")
    if isinstance(size, Const) and isinstance(size.value, int) and 0 < size.value <= machine.world.size:
        width = size.value
    else:
        width = machine.world.per_host
    members = tuple(block(lane, width) for lane in range(machine.world.size))
    return Tuple((make_group(machine, members, call.mask), machine.fresh("subgroups")))


def new_subgroups_by_enumeration(machine: Machine, call: Invocation) -> Value:
    """All groups of a list of lists at once: each rank gets the one it is in, and the list of all."""
    return Tuple((of_lists(machine, call, "ranks_per_subgroup_list"), machine.fresh("subgroups")))


def split_group(machine: Machine, call: Invocation) -> Value:
    return of_lists(machine, call, "split_ranks")


def of_lists(machine: Machine, call: Invocation, param: str) -> Value:
    """Each rank is in the group whose list it is in."""
    note(machine, call)
    lists = containers.items_of(machine, call.get(param) or NONE)
    masks = [member_mask(machine, one) for one in lists] if lists is not None else [None]
    if any(mask is None for mask in masks):
        return machine.new(GROUP_KIND, call.mask)
    size = machine.world.size
    members = tuple(next((mask for mask in masks if mask and mask >> lane & 1), 0) for lane in range(size))
    return make_group(machine, members, call.mask)


def note(machine: Machine, call: Invocation) -> None:
    machine.emit_event(
        "collective", "new_group", call.name, call.mask, group=machine.world_group, implicit=call.row.implicit
    )


def block(lane: int, width: int) -> int:
    start = lane // width * width
    return ((1 << width) - 1) << start


def unknown_group(machine: Machine, call: Invocation) -> Value:
    return machine.new(GROUP_KIND, call.mask)


def world_group(machine: Machine, call: Invocation) -> Value:
    made = machine.new(GROUP_KIND, call.mask)
    made.facts["group"] = machine.world_group
    return made


def group_of(machine: Machine, call: Invocation) -> Value:
    found = group_in(machine, call.receiver)
    made = machine.new(GROUP_KIND, call.mask)
    if found is not None:
        made.facts["group"] = found
    return made


def group_ranks(machine: Machine, call: Invocation) -> Value:
    group = group_in(machine, call.get("group"))
    if group is None:
        return machine.unknown("ranks of group", id(call.node))
    lists: list[Value] = [Tuple(tuple(Const(rank) for rank in lanes_in(members))) for members in group.members]
    return restrict(
        Row(tuple(lists), machine.cause("group rank", "the ranks of this process's group")), machine.world.full
    )


def global_rank_of(machine: Machine, call: Invocation) -> Value | None:
    """`get_global_rank(group, 0)`: the root of this process's group, counted in the world."""
    group, index = group_in(machine, call.get("group")), call.get("group_rank")
    if group is machine.world_group:
        return index
    if group is None or not (isinstance(index, Const) and isinstance(index.value, int)):
        return None
    inside = [list(lanes_in(members)) for members in group.members]
    if any(not 0 <= index.value < len(lanes) for lanes in inside if lanes):
        return None
    numbers: tuple[Value, ...] = tuple(Const(lanes[index.value] if lanes else -1, "rank") for lanes in inside)
    return row(numbers, machine.cause("group rank", "`get_global_rank()` is different in every group"))


def group_rank_of(machine: Machine, call: Invocation) -> Value | None:
    group, rank = group_in(machine, call.get("group")), call.get("global_rank")
    if group is None or rank is None:
        return None
    numbers = []
    for lane, members in enumerate(group.members):
        held = lane_value(rank, lane)
        if not (isinstance(held, Const) and isinstance(held.value, int)):
            return None
        numbers.append(bin(members & ((1 << held.value) - 1)).count("1"))
    return row(tuple(Const(one, "rank") for one in numbers), machine.cause("group rank", "`get_group_rank()`"))


MODELS = {
    "new_group": new_group,
    "new_subgroups_by_enumeration": new_subgroups_by_enumeration,
    "split_group": split_group,
    "global_rank_of": global_rank_of,
    "group_rank_of": group_rank_of,
    "new_subgroups": new_subgroups,
    "unknown_group": unknown_group,
    "world_group": world_group,
    "group_of": group_of,
    "group_ranks": group_ranks,
}
