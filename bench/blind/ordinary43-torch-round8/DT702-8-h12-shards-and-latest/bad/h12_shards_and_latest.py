import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


import json
import shutil
from pathlib import Path

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardedStateDictConfig, StateDictType


class Folder:
    def __init__(self, root, keep):
        self.root, self.keep = Path(root), keep

    def path(self, step):
        return self.root / f"step{step:07d}"

    def save(self, step, model, optimizer):
        target = self.path(step)
        target.mkdir(parents=True, exist_ok=True)
        with FSDP.state_dict_type(model, StateDictType.LOCAL_STATE_DICT):
            torch.save({"model": model.state_dict(), "optim": optimizer.state_dict()}, target / "shard.pt")
        dist.barrier()
        if dist.get_rank() == 0:
            (self.root / "latest.json").write_text(json.dumps({"step": step, "world": dist.get_world_size()}))
            self.prune()
        dist.barrier()

    def prune(self):
        for old in sorted(self.root.glob("step*"))[: -self.keep]:
            shutil.rmtree(old)


def main():
    rank, world, local = start()
    model = FSDP(nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1)).cuda(), device_id=local)
    optimizer = torch.optim.AdamW(model.parameters())
    folder = Folder("sharded", 3)
    data = toy()
    sampler = DistributedSampler(data, drop_last=True)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler, drop_last=True):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 25 == 0:
                folder.save(step, model, optimizer)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
