"""Who is this rank? Values that differ by rank, and sizes that do not."""

from __future__ import annotations

from collections.abc import Sequence

from dtlint.knowledge.rows import Api
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.meeting.groups import group_in
from dtlint.machine.values import FALSE, TRUE, Cause, Const, Row, Trail, Value

SPOKEN = {
    "rank": "this process's rank",
    "local_rank": "this process's rank on its node",
    "node": "the number of this node",
    "is_main": "true on rank 0 only",
    "not_main": "false on rank 0 only",
    "is_local_main": "true on one rank per node",
    "is_last": "true on the last rank only",
    "is_local_last": "true on the last rank of each node",
    "axis_index": "this device's index",
    "group_rank": "this process's rank in a group",
}
NUMBERS_OF_A_PROCESS = ("rank", "local_rank", "node")  # values of a row
# answers by which nobody divides work
DIVIDE_NOTHING = ("is_main", "not_main", "is_local_main", "distributed", "not_distributed")
# of several processes: `if TYPE_CHECKING:`, `if wandb.run is not None:`, and one process of JAX has many devices
SAYS_NOTHING = ("never", "open_run", "devices", "local_devices")
CAUSES = {
    "rank": "rank",
    "is_main": "rank",
    "not_main": "rank",
    "is_last": "rank",
    "local_rank": "local rank",
    "is_local_main": "local rank",
    "is_local_last": "local rank",
    "node": "node",
    "axis_index": "device",
    "group_rank": "group rank",
}


def lane_value_of(machine: Machine, kind: str, spelled: str, shows: bool = True) -> Value:
    """The lanes' values of one of the pack's value kinds; who asks for one shows that there are several processes."""
    if shows and kind not in SAYS_NOTHING:
        evidence.noticed(machine, spelled, numbers=kind not in DIVIDE_NOTHING)
    if kind in ("rank", "is_main", "not_main"):
        machine.facts["global rank"] = True
    world = machine.world
    match kind:
        case "world_size" | "devices":
            return Const(world.size, "world")
        case "local_world_size" | "local_devices":
            return Const(world.per_host, "local")
        case "distributed":
            return TRUE
        case "not_distributed" | "never":
            return FALSE
        case "nodes":
            return Const(world.hosts, "nodes")
        case "group_size":
            return machine.unknown("group size", spelled)
        case "open_run":  # whether there is one depends on who has opened it
            return machine.unknown("run", spelled)
    numbers: tuple[object, ...]
    match kind:
        case "rank" | "axis_index":
            numbers = world.ranks()
        case "local_rank":
            numbers = world.local_ranks()
        case "node":
            numbers = world.nodes()
        case "is_main":
            numbers = tuple(rank == 0 for rank in world.ranks())
        case "not_main":
            numbers = tuple(rank != 0 for rank in world.ranks())
        case "is_local_main":
            numbers = tuple(rank == 0 for rank in world.local_ranks())
        case "is_last":
            numbers = tuple(rank == world.size - 1 for rank in world.ranks())
        case "is_local_last":
            numbers = tuple(rank == world.per_host - 1 for rank in world.local_ranks())
        case _:
            return machine.unknown("value", kind, spelled, cause=cause_of(machine, kind, spelled))
    lanes: tuple[Value, ...] = tuple(Const(number, None if isinstance(number, bool) else "rank") for number in numbers)
    return Row(lanes, cause_of(machine, kind, spelled))


def of_another(row: Api, arguments: Sequence[Value], keywords: Keywords) -> bool:
    """`backend.get_global_rank(group, 0)`: who is given more than a group is asked for the number of another."""
    return row.value in NUMBERS_OF_A_PROCESS and len(arguments) + len(keywords) > len(row.params)


def cause_of(machine: Machine, kind: str, spelled: str) -> Cause:
    text = f"`{spelled}` is {SPOKEN.get(kind, 'different on every rank')}"
    return Cause(CAUSES.get(kind, kind.replace("_", " ")), Trail(machine.step(text)))


def short(name: str) -> str:
    """The last two parts of a dotted name, as people write it."""
    return ".".join(name.split(".")[-2:])


def ask(machine: Machine, row: Api, name: str, group: Value | None) -> Value:
    """The value a row describes; a rank inside a group is counted inside it."""
    if row.value in ("rank", "group_rank") and group is not None:
        known = group_in(machine, group)
        if known is None:
            return machine.unknown("group rank", name, id(group), cause=cause_of(machine, "group_rank", short(name)))
        if known is not machine.world_group:
            numbers = [
                bin(known.members[lane] & ((1 << lane) - 1)).count("1") if known.members[lane] else -1
                for lane in range(machine.world.size)
            ]
            return machine.rank_row(numbers, "group rank", f"`{short(name)}` is this process's rank in the group")
    if row.value in ("world_size", "group_size") and group is not None:
        known = group_in(machine, group)
        if known is None:
            return machine.unknown("group size", name, id(group))
        sizes = {bin(members).count("1") for members in known.members if members}
        return Const(sizes.pop(), "group") if len(sizes) == 1 else machine.unknown("group size", name)
    return lane_value_of(machine, row.value, short(name), not row.extra.get("alone_too"))
