"""Do as many processes start on a node as it has devices?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dtlint.launch.conflict import Conflict, evidence, line_of
from dtlint.launch.model import Launch

LIST = re.compile(r"\d+(,\d+)*")


def shown_devices(launch: Launch) -> int | None:
    """How many devices the environment leaves to the program."""
    option = launch.environment.get("CUDA_VISIBLE_DEVICES")
    return len(option.value.split(",")) if option and option.value and LIST.fullmatch(option.value) else None


def too_many_processes(launch: Launch) -> Iterator[Conflict]:
    """More processes on a node than it has devices."""
    have, want = shown_devices(launch) or launch.devices_per_node, launch.processes_per_node
    if have is None or want is None or want == have or launch.option("cpu", "use_cpu") is not None:
        return
    option = launch.option("nproc_per_node", "num_gpus", "num_processes")
    if launch.kind == "accelerate" and launch.nodes and launch.nodes > 1 and launch.world_size == have:
        return  # the total taken for the number on one node: DT905 says so
    many = want > have
    if not many and option is None:
        return
    yield Conflict(
        launch.path, line_of(launch, option),
        f"{want} processes start on each node, but it has {have} accelerator{'s' if have > 1 else ''} there",
        f"start as many processes as there are devices: {have}, or ask for {want}",
        evidence(launch, option),
        effect="crash" if many else "waste", severity=None if many else "note", tier=None if many else "strict",
    )  # fmt: skip
