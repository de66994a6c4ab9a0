"""Which ranks talk to each other? Process groups and device meshes."""

from __future__ import annotations

from math import prod

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, functions_of
from dtlint.machine import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, restrict, row
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Group
from dtlint.machine.values import NONE, TRUE, Cause, Const, External, Object, Row, Tuple, Value, lane_value

GROUP_KIND = "torch.distributed.ProcessGroup"
MESH_KIND = "torch.distributed.device_mesh.DeviceMesh"


def group_in(machine: Machine, value: Value | None) -> Group | None:
    """The communicator behind a `group=` argument; None when nobody knows."""
    if value is None or value == NONE:
        return machine.world_group
    if isinstance(value, External) and value.name.rpartition(".")[2] in ("WORLD", "group"):
        return machine.world_group
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
    items = containers.items_of(machine, held)
    if items is not None and any(isinstance(item, Row) for item in items):
        return Tuple(tuple(lane_value(item, lane) for item in items))
    return held


def deep_cause(machine: Machine, value: Value) -> Cause | None:
    items = containers.items_of(machine, value) or ()
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


def range_items(value: Object) -> list[Value] | None:
    parts = [value.attributes.get(name) for name in ("start", "stop", "step")]
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
    if masks is None:
        made = machine.new(GROUP_KIND, call.mask)
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
        machine.emit_event("collective", "new_group", call.name, call.mask, group=machine.world_group, details=details)
    return made


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
    note(machine, call)
    lists = containers.items_of(machine, call.get("ranks_per_subgroup_list") or NONE)
    masks = [member_mask(machine, one) for one in lists] if lists is not None else [None]
    if any(mask is None for mask in masks):
        return Tuple((machine.new(GROUP_KIND, call.mask), machine.fresh("subgroups")))
    size = machine.world.size
    members = tuple(next((mask for mask in masks if mask and mask >> lane & 1), 0) for lane in range(size))
    return Tuple((make_group(machine, members, call.mask), machine.fresh("subgroups")))


def split_group(machine: Machine, call: Invocation) -> Value:
    note(machine, call)
    lists = containers.items_of(machine, call.get("split_ranks") or NONE)
    masks = [member_mask(machine, one) for one in lists] if lists is not None else [None]
    if any(mask is None for mask in masks):
        return machine.new(GROUP_KIND, call.mask)
    size = machine.world.size
    return make_group(
        machine,
        tuple(next((mask for mask in masks if mask and mask >> lane & 1), 0) for lane in range(size)),
        call.mask,
    )


def note(machine: Machine, call: Invocation) -> None:
    machine.emit_event(
        "collective", "new_group", call.name, call.mask, group=machine.world_group, implicit=call.row.implicit
    )


def block(lane: int, width: int) -> int:
    start = lane // width * width
    return ((1 << width) - 1) << start


# --- meshes ----------------------------------------------------------------------------------------------------


ASKED = "process group asked for"


def asked(machine: Machine, call: Invocation) -> None:
    """`extra.needs_group`: the question fails without a process group. `extra.asks_group`: from here on the program
    knows whether there is one."""
    if call.row.extra.get("asks_group"):
        machine.facts[ASKED] = True
    elif call.row.extra.get("needs_group") and ASKED not in machine.facts and not machine.facts.get("inside"):
        machine.emit_event("record", "group-needed", call.name, call.mask, extra={"call": call})


STARTED = "process group started"
OF_ITS_OWN = (ir.Function, ir.Class, ir.Lambda)  # what stands in these runs some other time


def started(machine: Machine, mask: int) -> None:
    """From here on these ranks have a process group."""
    machine.set(whether_started(machine), STARTED, TRUE, mask)


def starts_here(machine: Machine, call: Invocation) -> bool:
    """`if not is_initialized(): init_process_group()`: who starts the group where nobody has done so asks in order to
    start it, not for the day it is run without one."""
    if machine.get(whether_started(machine), STARTED) is not None:
        return False
    begun_by = call.row.extra["begun_by"]
    node, asking = machine.frame.node, machine.asking
    if isinstance(node, ir.Function) and begun_by in node.tokens:
        return True
    if asking is None:
        return False
    known = starters(machine, begun_by)
    return any(name in known for name in called_names((asking.body, asking.orelse), OF_ITS_OWN))


def starters(machine: Machine, begun_by: str) -> frozenset[str]:
    """The call that starts the group, and the functions of the project that make it."""
    known: dict[str, frozenset[str]] = machine.notes.setdefault("starters", {})
    paths = machine.project.mentioning(begun_by)  # asked by each unit: its answer is what the unit rests on
    if begun_by not in known:
        found = (
            function.name
            for path in paths
            for function, _ in functions_of(machine.project.tree(path))
            if begun_by in function.tokens
        )
        known[begun_by] = frozenset((begun_by, *found))
    return known[begun_by]


def whether_started(machine: Machine) -> Object:
    held = machine.facts.get(STARTED)
    if held is None:
        held = machine.facts[STARTED] = machine.new(STARTED, machine.world.full)
    return held


def init_device_mesh(machine: Machine, call: Invocation) -> Value:
    machine.emit_event("collective", "new_group", call.name, call.mask, group=machine.world_group, implicit=False)
    made = machine.new(MESH_KIND, call.mask)
    shape = containers.items_of(machine, call.get("mesh_shape") or NONE)
    names = containers.items_of(machine, call.get("mesh_dim_names") or NONE)
    sizes = mesh_sizes(machine, shape)
    if names is not None and all(isinstance(name, Const) for name in names):
        made.facts["names"] = tuple(str(name.value) for name in names if isinstance(name, Const))
    if sizes is not None:
        made.facts["sizes"] = sizes
        groups = tuple(mesh_groups(machine, sizes, dimension) for dimension in range(len(sizes)))
        made.facts["dimensions"] = groups
        if len(sizes) == 1:
            made.facts["group"] = groups[0]
    return made


def mesh_sizes(machine: Machine, shape: tuple[Value, ...] | None) -> tuple[int, ...] | None:
    """The mesh on our imaginary world: sizes that multiply to it, or a 2-d mesh over hosts and their processes."""
    if shape is None:
        return None
    sizes = [part.value if isinstance(part, Const) and isinstance(part.value, int) else None for part in shape]
    product = 1
    for size in sizes:
        product *= size or 1
    if None not in sizes and product == machine.world.size:
        return tuple(size for size in sizes if size is not None)
    if len(sizes) == 1:
        return (machine.world.size,)
    if len(sizes) == 2:
        return (machine.world.hosts, machine.world.per_host)
    return None


def mesh_groups(machine: Machine, sizes: tuple[int, ...], dimension: int) -> Group:
    inner = 1
    for size in sizes[dimension + 1 :]:
        inner *= size
    width = sizes[dimension]
    members = []
    for lane in range(machine.world.size):
        base = lane - (lane // inner % width) * inner
        members.append(sum(1 << (base + step * inner) for step in range(width)))
    return Group(f"mesh dimension {dimension}", tuple(members))


def mesh_part(machine: Machine, mesh: Object, name: Value, mask: int) -> Value | None:
    """`mesh["dp"]`"""
    names, groups = mesh.facts.get("names"), mesh.facts.get("dimensions")
    made = machine.new(MESH_KIND, mask)
    if isinstance(name, Const) and names and groups and name.value in names:
        dimension = names.index(name.value)
        made.facts.update(group=groups[dimension], names=(name.value,), dimensions=(groups[dimension],))
        made.facts["sizes"] = (mesh.facts["sizes"][dimension],)
    return made


def mesh_dimension(machine: Machine, mesh: Object, which: Value | None) -> Group | None:
    groups, names = mesh.facts.get("dimensions"), mesh.facts.get("names") or ()
    if groups is None:
        return None
    if which is None or which == NONE:
        return groups[0] if len(groups) == 1 else None
    if isinstance(which, Const):
        if isinstance(which.value, int) and -len(groups) <= which.value < len(groups):
            found: Group = groups[which.value]
            return found
        if which.value in names:
            found = groups[names.index(which.value)]
            return found
    return None


def mesh_group(machine: Machine, call: Invocation) -> Value:
    made = machine.new(GROUP_KIND, call.mask)
    if isinstance(call.receiver, Object):
        group = mesh_dimension(machine, call.receiver, call.get("mesh_dim"))
        if group is not None:
            made.facts["group"] = group
    return made


def mesh_local_rank(machine: Machine, call: Invocation) -> Value:
    group = mesh_dimension(machine, call.receiver, call.get("mesh_dim")) if isinstance(call.receiver, Object) else None
    text = "`get_local_rank()` is this process's place in a mesh dimension"
    if group is None:
        return machine.unknown("mesh rank", id(call.node), cause=machine.cause("group rank", text))
    return places(machine, group, text)


def mesh_size(machine: Machine, call: Invocation) -> Value:
    if isinstance(call.receiver, Object):
        group = mesh_dimension(machine, call.receiver, call.get("mesh_dim"))
        if group is not None:
            return Const(bin(group.members[0]).count("1"), "group")
    return machine.unknown("mesh size", id(call.node))


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


def device_mesh(machine: Machine, call: Invocation) -> Value:
    """`DeviceMesh("cuda", ranks)`: which ranks talk along which dimension is not worked out."""
    note(machine, call)
    return machine.new(MESH_KIND, call.mask)


def unknown_mesh(machine: Machine, call: Invocation) -> Value:
    return machine.new(MESH_KIND, call.mask)


def all_mesh_groups(machine: Machine, call: Invocation) -> Value:
    found = call.receiver.facts.get("dimensions") if isinstance(call.receiver, Object) else None
    made = []
    for group in found or ():
        one = machine.new(GROUP_KIND, call.mask)
        one.facts["group"] = group
        made.append(one)
    return machine.new_list(tuple(made), call.mask) if made else machine.fresh("groups")


def mesh_coordinate(machine: Machine, call: Invocation) -> Value:
    """This process's place along every dimension."""
    found = call.receiver.facts.get("dimensions") if isinstance(call.receiver, Object) else None
    text = "`get_coordinate()` is this process's place in the mesh"
    if not found:
        return machine.unknown("coordinate", id(call.node), cause=machine.cause("group rank", text))
    return machine.new_list(tuple(places(machine, group, text) for group in found), call.mask)


def places(machine: Machine, group: Group, text: str) -> Value:
    numbers = [bin(group.members[lane] & ((1 << lane) - 1)).count("1") for lane in range(machine.world.size)]
    return machine.rank_row(numbers, "group rank", text)


def mesh_slice(machine: Machine, call: Invocation) -> Value | None:
    if isinstance(call.receiver, Object) and call.arguments:
        return mesh_part(machine, call.receiver, call.arguments[0], call.mask)
    return None


def mesh_flatten(machine: Machine, call: Invocation) -> Value:
    """All dimensions of a mesh as one: everybody, when the mesh is over everybody."""
    note(machine, call)
    made = machine.new(MESH_KIND, call.mask)
    sizes = call.receiver.facts.get("sizes") if isinstance(call.receiver, Object) else None
    if sizes is not None and prod(sizes) == machine.world.size:
        made.facts.update(group=machine.world_group, dimensions=(machine.world_group,), sizes=(machine.world.size,))
    return made


def mesh_from_group(machine: Machine, call: Invocation) -> Value:
    made = machine.new(MESH_KIND, call.mask)
    group = group_in(machine, call.get("group"))
    if group is not None:
        made.facts.update(group=group, dimensions=(group,))
    return made


def global_rank_of(machine: Machine, call: Invocation) -> Value | None:
    """`get_global_rank(group, 0)`: the root of this process's group, counted in the world."""
    group, index = group_in(machine, call.get("group")), call.get("group_rank")
    if group is None or not (isinstance(index, Const) and isinstance(index.value, int)):
        return None
    if group is machine.world_group:
        return index
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


def dimension_of(machine: Machine, call: Invocation) -> Group:
    """The groups of one parallel dimension on the imaginary hosts: inside each of them, or across."""
    sizes = (machine.world.hosts, machine.world.per_host)
    return mesh_groups(machine, sizes, 1 if call.row.extra.get("dimension") == "tensor" else 0)


def parallel_group(machine: Machine, call: Invocation) -> Value:
    made = machine.new(GROUP_KIND, call.mask)
    made.facts["group"] = dimension_of(machine, call)
    return made


def parallel_rank(machine: Machine, call: Invocation) -> Value:
    text = f"`{call.name.rpartition('.')[2]}()` is this process's place in a group"
    return places(machine, dimension_of(machine, call), text)


MODELS = {
    "parallel_group": parallel_group,
    "parallel_rank": parallel_rank,
    "new_group": new_group,
    "new_subgroups_by_enumeration": new_subgroups_by_enumeration,
    "split_group": split_group,
    "device_mesh": device_mesh,
    "unknown_mesh": unknown_mesh,
    "mesh_groups": all_mesh_groups,
    "mesh_coordinate": mesh_coordinate,
    "mesh_slice": mesh_slice,
    "mesh_flatten": mesh_flatten,
    "mesh_from_group": mesh_from_group,
    "global_rank_of": global_rank_of,
    "group_rank_of": group_rank_of,
    "new_subgroups": new_subgroups,
    "init_device_mesh": init_device_mesh,
    "mesh_group": mesh_group,
    "mesh_local_rank": mesh_local_rank,
    "mesh_size": mesh_size,
    "unknown_group": unknown_group,
    "world_group": world_group,
    "group_of": group_of,
    "group_ranks": group_ranks,
}
