from pathlib import Path

import torch
import torch.distributed as dist


class Resumable:
    """Model, optimizer and the number of the next epoch, as one unit."""

    def __init__(self, path, model, optimizer, local_rank):
        self.path = Path(path)
        self.model, self.optimizer = model, optimizer
        self.local_rank = local_rank
        self.epoch = 0

    def store(self):
        if dist.get_rank() == 0:
            payload = {"model": self.model.module.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": self.epoch}
            torch.save(payload, self.path)
        dist.barrier()

    def restore(self):
        if not self.path.exists():
            return self
        where = {"cuda:0": f"cuda:{dist.get_rank()}"}
        payload = torch.load(self.path, map_location=where, weights_only=True)
        self.model.module.load_state_dict(payload["model"])
        self.optimizer.load_state_dict(payload["optimizer"])
        self.epoch = payload["epoch"]
        return self
