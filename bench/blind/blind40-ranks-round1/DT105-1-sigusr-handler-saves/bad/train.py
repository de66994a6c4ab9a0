import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from preempt import PreemptionGuard


def build(device):
    torch.manual_seed(11)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(24, 24), nn.GELU()) for _ in range(3)], nn.Linear(24, 4)).to(device)
    for block in net[:-1]:
        fully_shard(block)
    return fully_shard(net)


def dataset():
    g = torch.Generator().manual_seed(5)
    x = torch.randn(640, 24, generator=g)
    return TensorDataset(x, x[:, :4].abs().argmax(1))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    model = build(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    guard = PreemptionGuard(model, optimizer, os.environ.get("CKPT_DIR", "ckpt"), device)
    data = dataset()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    stop = False
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            stop = guard.tick()
            if stop:
                break
        if stop:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
