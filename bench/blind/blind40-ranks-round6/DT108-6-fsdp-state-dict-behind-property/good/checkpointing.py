from pathlib import Path

import torch
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class FullCheckpoint:
    def __init__(self, model, root, writes):
        self.model, self.root, self.writes = model, Path(root), writes
        self.policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)

    def gathered(self):
        with FSDP.state_dict_type(self.model, StateDictType.FULL_STATE_DICT, self.policy):
            return self.model.state_dict()

    def save(self, step):
        state = self.gathered()
        if not self.writes:
            return
        self.root.mkdir(parents=True, exist_ok=True)
        torch.save({"step": step, "model": state}, self.root / f"{step:06d}.pt")
