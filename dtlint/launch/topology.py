"""How many nodes, and how many processes on each, does a launch mean?"""

from __future__ import annotations

import re
from dataclasses import replace

from dtlint.launch.model import Argument, Launch
from dtlint.launch.shell_values import fallback, known

TORCHRUN_KINDS = ("torchrun", "torch.distributed.launch")
RANGE = re.compile(r"(\d+):(\d+)$")
# What an operator sets in every container for torchrun.
OPERATORS = ("pytorchjob", "trainjob")


def complete(launch: Launch) -> Launch:
    """The launch with nodes, processes per node and world size filled in where its words fix them."""
    if launch.kind in TORCHRUN_KINDS:
        nodes, per_node = _torchrun(launch)
    elif launch.kind == "accelerate":
        return _accelerate(launch)
    elif launch.kind == "deepspeed":
        return _deepspeed(launch)
    else:
        return launch
    return replace(
        launch, nodes=nodes, processes_per_node=per_node, world_size=nodes * per_node if nodes and per_node else None
    )


def nodes_option(launch: Launch) -> Argument | None:
    """What says how many nodes torchrun is to wait for: its option, or its `PET_` variable."""
    return launch.options.get("nnodes") or launch.environment.get("PET_NNODES")


def _torchrun(launch: Launch) -> tuple[int | None, int | None]:
    return _torchrun_nodes(launch), _torchrun_processes(launch)


def _torchrun_nodes(launch: Launch) -> int | None:
    option = nodes_option(launch)
    if option is not None:
        if match := RANGE.match(option.value or ""):
            return int(match[1]) if match[1] == match[2] or int(match[1]) > 1 else None
        return option.number
    if not launch.options.complete or any(outer.kind in OPERATORS for outer in launch.outers):
        return None
    return 1


def _torchrun_processes(launch: Launch) -> int | None:
    option = launch.options.get("nproc_per_node") or launch.environment.get("PET_NPROC_PER_NODE")
    if option is not None:
        return option.number if option.number is not None else _all_devices(option, launch)
    if not launch.options.complete or any(outer.kind in OPERATORS for outer in launch.outers):
        return None
    return 1


def _all_devices(option: Argument, launch: Launch) -> int | None:
    return launch.devices_per_node if (option.value or "") in ("gpu", "auto") else None


def _accelerate(launch: Launch) -> Launch:
    def number(name: str) -> int | None:
        option = launch.option(name)
        return option.number if option else None

    machines = number("num_machines")
    if machines is None and launch.option("num_machines") is None and launch.options.complete:
        # Without a configuration file here, the one in the user's home directory counts.
        machines = 1 if launch.configuration is not None or launch.options.get("config_file") is None else None
    world = number("num_processes")
    per_node = world // machines if world and machines else None
    return replace(launch, nodes=machines, world_size=world, processes_per_node=per_node)


def _deepspeed(launch: Launch) -> Launch:
    nodes = launch.options.number("num_nodes")
    per_node = launch.options.number("num_gpus")
    include = launch.options.get("include")
    hosts = launch.configuration if launch.configuration and launch.configuration.kind == "hostfile" else None
    world = None
    if include is not None:
        slots = included(include.value or "")
        if slots is not None:
            nodes, world = len(slots), sum(slots)
            per_node = slots[0] if len(set(slots)) == 1 else None
            return replace(launch, nodes=nodes, processes_per_node=per_node, world_size=world)
        return launch
    if hosts is not None and not launch.options.get("exclude"):
        counts = [item.number or 0 for item in hosts.values.values()][: nodes or None]
        nodes = len(counts)
        if per_node is None and counts:
            per_node = counts[0] if len(set(counts)) == 1 else None
            world = sum(counts)
    elif nodes is None and launch.options.get("hostfile") is None and launch.options.complete:
        nodes = 1 if per_node is not None else None
    if world is None and nodes and per_node:
        world = nodes * per_node
    return replace(launch, nodes=nodes, processes_per_node=per_node, world_size=world)


def included(text: str) -> list[int] | None:
    """The devices per host in `localhost:0,1,2` or `worker-0@worker-1:0,2`."""
    if not known(text):
        return None
    counts = []
    for host in text.split("@"):
        _, colon, devices = host.partition(":")
        if not colon or not devices:
            return None
        counts.append(len([item for item in devices.split(",") if item]))
    return counts


def one_for_each_host(launch: Launch) -> bool:
    """Is it started in every turn of a loop, each time on another machine? A number of nodes is given because it is
    not one."""
    return bool(launch.loops) and launch.step("ssh") is not None


def several_nodes(launch: Launch) -> bool:
    """Is it certain that this launch spans more than one node?"""
    if launch.nodes is not None:
        return launch.nodes > 1
    option = nodes_option(launch) if launch.kind in TORCHRUN_KINDS else None
    value = (option.value or "") if option else ""
    if not known(value):  # `${NODES:-4}`: as many as the script means when nobody asks for another number
        usual = fallback(value) or ("2" if one_for_each_host(launch) else "")
        return usual.isascii() and usual.isdigit() and int(usual) > 1
    match = RANGE.match(value)
    return bool(match and int(match[1]) > 1)
