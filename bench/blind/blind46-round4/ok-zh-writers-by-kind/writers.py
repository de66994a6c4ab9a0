from pathlib import Path
from typing import Protocol

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


class Writer(Protocol):
    def write(self, state: dict, target: Path) -> None: ...


class Plain:
    def write(self, state, target):
        if dist.get_rank() == 0:
            target.parent.mkdir(parents=True, exist_ok=True)
            torch.save(state, target.with_suffix(".pt"))


class Sharded:
    def write(self, state, target):
        dcp.save(state, checkpoint_id=str(target))


def writer_for(sharded: bool) -> Writer:
    return Sharded() if sharded else Plain()
