import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Meter:
    def __init__(self, log_dir, rank):
        self.rank = rank
        self.writer = SummaryWriter(log_dir)
        self.sums = {}
        self.step = 0

    def add(self, **values):
        for name, value in values.items():
            total, count = self.sums.get(name, (0.0, 0))
            self.sums[name] = (total + value.detach(), count + 1)

    def flush(self):
        self.step += 1
        for name, (total, count) in sorted(self.sums.items()):
            mean = total / count
            dist.all_reduce(mean)
            mean = mean / dist.get_world_size()
            self.writer.add_scalar(name, mean.item(), self.step)
        self.sums.clear()

    def close(self):
        self.writer.close()


def vectors(n=4096):
    gen = torch.Generator().manual_seed(64)
    x = torch.randn(n, 24, generator=gen)
    return TensorDataset(x, x.abs().sum(dim=1, keepdim=True))


def main(epochs=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(24, 96), nn.ELU(), nn.Linear(96, 1)).to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = vectors()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    meter = Meter("runs/abs-sum", dist.get_rank())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            pred = model(x.to(device))
            loss = F.mse_loss(pred, y.to(device))
            loss.backward()
            opt.step()
            meter.add(loss=loss, magnitude=pred.abs().mean())
        meter.flush()
    meter.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
