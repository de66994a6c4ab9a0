from __future__ import annotations

import dataclasses
import os

import torch
import torch.distributed as dist


@dataclasses.dataclass(frozen=True)
class Place:
    rank: int = dataclasses.field(default_factory=lambda: int(os.environ["RANK"]))
    local: int = dataclasses.field(default_factory=lambda: int(os.environ["LOCAL_RANK"]))

    def enter(self) -> Place:
        torch.cuda.set_device(self.local)
        dist.init_process_group("nccl")
        return self

    def wait(self) -> None:
        dist.barrier(device_ids=[self.rank])
