import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Batch:
    global_batch_size: int = 512
    micro_batch_size: int = 8

    def accumulation(self, world):
        return self.global_batch_size // (self.micro_batch_size * world)


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    batch = Batch()
    accumulate = batch.accumulation(dist.get_world_size())
    x = torch.randn(65_536, 40)
    data = TensorDataset(x, x.argmax(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=batch.micro_batch_size, sampler=sampler, drop_last=True)
    usable = len(loader) - len(loader) % accumulate
    model = DDP(nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 40)).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for i, (xb, yb) in zip(range(usable), loader):
            last = (i + 1) % accumulate == 0
            model.require_backward_grad_sync = last
            loss = F.cross_entropy(model(xb.cuda()), yb.cuda()) / accumulate
            loss.backward()
            if last:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
