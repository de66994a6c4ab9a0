import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meter import ChannelMeter

CHANNELS = {"loss", "penalty", "accuracy", "samples", "debug"}


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(14, 3).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(3)
    data = TensorDataset(torch.randn(240, 14, generator=g), torch.randint(0, 3, (240,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    meter = ChannelMeter(CHANNELS, device)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            logits = model(x)
            penalty = 1e-3 * logits.square().mean()
            loss = nn.functional.cross_entropy(logits, y) + penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            meter.add("loss", loss.item() * len(x))
            meter.add("penalty", penalty.item() * len(x))
            meter.add("accuracy", (logits.argmax(1) == y).sum())
            meter.add("samples", len(x))
        totals = meter.flush(extra=["debug"])
        if dist.get_rank() == 0:
            print({name: round(value / totals["samples"], 4) for name, value in totals.items()})
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
