import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from base import Trainer


class ShardedTrainer(Trainer):
    rebuilds = True

    def setup(self):
        self.model = FSDP(self.model, device_id=torch.cuda.current_device())
