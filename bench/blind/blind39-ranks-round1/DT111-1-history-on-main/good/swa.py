import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.nn.parallel import DistributedDataParallel as DDP


class PlateauAverager:
    """Once the loss has been flat for a window, averages replicas' batch-norm statistics."""

    def __init__(self, model, rank, window=4):
        self.model, self.rank, self.window = model, rank, window
        self.history = []

    def observe(self, loss):
        loss = loss.detach().clone()
        dist.all_reduce(loss)
        loss /= dist.get_world_size()
        self.history.append(loss.item())
        if self.rank == 0:
            print(f"epoch {len(self.history)} loss {self.history[-1]:.4f}")

    def ready(self):
        recent = self.history[-self.window :]
        return len(recent) == self.window and max(recent) - min(recent) < 0.5

    def average(self):
        for name, buffer in self.model.named_buffers():
            if buffer.is_floating_point():
                dist.all_reduce(buffer)
                buffer.div_(dist.get_world_size())


def make_loader(batch_size=32):
    g = torch.Generator().manual_seed(21)
    data = TensorDataset(torch.randn(512, 14, generator=g), torch.randn(512, 1, generator=g))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return sampler, DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(14, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(net) if cuda else net
    model = DDP(net, device_ids=[local_rank] if cuda else None, broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    averager = PlateauAverager(net, dist.get_rank())
    sampler, loader = make_loader()
    for epoch in range(8):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        averager.observe(total / len(loader))
        if averager.ready():
            averager.average()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
