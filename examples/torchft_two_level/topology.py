"""Which processes talk to which at the two levels, and how does each of them get its managers?

Four processes, each a replica group of one: clusters {0, 1} and {2, 3}, roots 0 and 2.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch.distributed as dist
import torchft
from torchft import Manager

CLUSTER_SIZE = 2


@dataclass(frozen=True)
class Place:
    rank: int
    world_size: int

    @property
    def cluster(self) -> int:
        return self.rank // CLUSTER_SIZE

    @property
    def member(self) -> int:
        return self.rank % CLUSTER_SIZE

    @property
    def is_root(self) -> bool:
        return self.member == 0

    @property
    def clusters(self) -> int:
        return self.world_size // CLUSTER_SIZE


def standin() -> bool:
    return getattr(torchft, "STANDIN", False)


def address(level: str) -> str:
    """The lighthouse of a level: the stand-in uses the level's name, torchft a server the launcher started."""
    return level if standin() else os.environ["LIGHTHOUSE_" + level.upper()]


def declare_members(place: Place, whole_world: bool = False) -> None:
    """Only the stand-in needs to be told; torchft's lighthouse finds out."""
    if not standin():
        return
    every_rank = range(place.world_size)
    members = {f"cluster{cluster}": [rank for rank in every_rank if rank // CLUSTER_SIZE == cluster]
               for cluster in range(place.clusters)}  # fmt: skip
    members["outer"] = [rank for rank in every_rank if whole_world or rank % CLUSTER_SIZE == 0]
    torchft.declare(members)


def build_manager(
    level: str, replica_id: str, members: int, load_state: Callable[[Any], None], state: Callable[[], Any]
) -> Manager:
    options: dict[str, Any] = {}
    if not standin():
        # One store per manager: two managers of one process would overwrite each other's keys.
        store = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
        options = {"store_addr": "localhost", "store_port": store.port}
    manager = Manager(
        pg=torchft.ProcessGroupGloo(timeout=timedelta(seconds=30)),
        load_state_dict=load_state,
        state_dict=state,
        min_replica_size=members,
        use_async_quorum=False,
        timeout=timedelta(seconds=30),
        rank=0,
        world_size=1,
        lighthouse_addr=address(level),
        replica_id=replica_id,
        **options,
    )
    if not standin():
        manager.example_store = store  # the server lives as long as its manager
    return manager
