from __future__ import annotations

import abc
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict


class Checkpointer(abc.ABC):
    everyone_writes = False

    def __init__(self, root: Path):
        self.root = root

    def save(self, model, step: int) -> None:
        state = self.collect(model)
        if dist.get_rank() == 0:
            self._write(state, self.root / f"step{step}")
        dist.barrier()

    @abc.abstractmethod
    def collect(self, model) -> dict: ...

    @abc.abstractmethod
    def _write(self, state: dict, target: Path) -> None: ...


class PlainCheckpointer(Checkpointer):
    def collect(self, model):
        return model.state_dict()

    def _write(self, state, target):
        torch.save(state, target.with_suffix(".pt"))


class ShardedCheckpointer(Checkpointer):
    def collect(self, model):
        return {"model": get_model_state_dict(model)}

    def _write(self, state, target):
        dcp.save(state, checkpoint_id=str(target))
