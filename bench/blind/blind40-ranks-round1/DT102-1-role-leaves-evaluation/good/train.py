import json
import os
from collections import Counter
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from roles import Role, current_role


def make_split(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 12, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long())


@torch.no_grad()
def confusion(net, loader, device):
    net.eval()
    counts = Counter()
    for x, y in loader:
        guess = net(x.to(device)).argmax(dim=1).cpu()
        counts.update(zip(y.tolist(), guess.tolist()))
    net.train()
    return counts


def report(counts, out: Path):
    merged = [None] * dist.get_world_size()
    dist.all_gather_object(merged, counts)
    match current_role():
        case Role.REPLICA:
            return
        case Role.LEAD:
            total = sum(merged, Counter())
            right = sum(n for (a, b), n in total.items() if a == b)
            out.write_text(json.dumps({"accuracy": right / total.total()}))


def main():
    on_gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device(f"cuda:{local_rank}" if on_gpu else "cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if on_gpu else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 3)).to(device)
    ddp = DistributedDataParallel(net, device_ids=[local_rank] if on_gpu else None)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05)
    train, held = make_split(512, 1), make_split(128, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=32, sampler=DistributedSampler(held, shuffle=False))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(ddp(x.to(device)), y.to(device)).backward()
            optimizer.step()
        report(confusion(net, held_loader, device), Path(f"eval_{epoch}.json"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
