import os
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class EpochClock:
    def __init__(self):
        self.listeners: list[Callable[[int], None]] = []

    def subscribe(self, listener):
        self.listeners.append(listener)

    def ticks(self, count):
        for epoch in range(count):
            for listener in self.listeners:
                listener(epoch)
            yield epoch


def data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 10, generator=g)
    return TensorDataset(x, x.prod(1, keepdim=True).sign())


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    clock = EpochClock()
    train = data(8192, 1)
    sampler = DistributedSampler(train, drop_last=True)
    clock.subscribe(sampler.set_epoch)
    loader = DataLoader(train, batch_size=64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(10, 128), nn.ReLU(), nn.Linear(128, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in clock.ticks(6):
        sums = torch.zeros(2, device=device)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = F.soft_margin_loss(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            sums += torch.stack([loss.detach() * len(x), torch.tensor(float(len(x)), device=device)])
        dist.all_reduce(sums)
        if dist.get_rank() == 0:
            print(epoch, (sums[0] / sums[1]).item())
            torch.save(net.state_dict(), "sign.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
