"""Which ranks lie along which dimension of a device mesh?"""

from __future__ import annotations

from math import prod

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.groups import GROUP_KIND, group_in, note
from dtlint.machine.logs import Group
from dtlint.machine.values import NONE, Const, Object, Value

MESH_KIND = "torch.distributed.device_mesh.DeviceMesh"


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


def mesh_dimension(mesh: Object, which: Value | None) -> Group | None:
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
        group = mesh_dimension(call.receiver, call.get("mesh_dim"))
        if group is not None:
            made.facts["group"] = group
    return made


def mesh_local_rank(machine: Machine, call: Invocation) -> Value:
    group = mesh_dimension(call.receiver, call.get("mesh_dim")) if isinstance(call.receiver, Object) else None
    text = "`get_local_rank()` is this process's place in a mesh dimension"
    if group is None:
        return machine.unknown("mesh rank", id(call.node), cause=machine.cause("group rank", text))
    return places(machine, group, text)


def mesh_size(machine: Machine, call: Invocation) -> Value:
    if isinstance(call.receiver, Object):
        group = mesh_dimension(call.receiver, call.get("mesh_dim"))
        if group is not None:
            return Const(bin(group.members[0]).count("1"), "group")
    return machine.unknown("mesh size", id(call.node))


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
    "device_mesh": device_mesh,
    "unknown_mesh": unknown_mesh,
    "mesh_groups": all_mesh_groups,
    "mesh_coordinate": mesh_coordinate,
    "mesh_slice": mesh_slice,
    "mesh_flatten": mesh_flatten,
    "mesh_from_group": mesh_from_group,
    "init_device_mesh": init_device_mesh,
    "mesh_group": mesh_group,
    "mesh_local_rank": mesh_local_rank,
    "mesh_size": mesh_size,
}
