import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def merge_counts(parts):
    total = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total


def confusion(net, loader, device):
    counts = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    net.eval()
    with torch.inference_mode():
        for x, y in loader:
            guess = net(x.to(device)).squeeze(1).cpu() > 0
            truth = y.squeeze(1) > 0
            counts["tp"] += int((guess & truth).sum())
            counts["fp"] += int((guess & ~truth).sum())
            counts["fn"] += int((~guess & truth).sum())
            counts["tn"] += int((~guess & ~truth).sum())
    net.train()
    gathered = [None] * dist.get_world_size()
    dist.gather_object(counts, gathered if dist.get_rank() == 0 else None, dst=0)
    return merge_counts(gathered)


def split(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x[:, :1] - x[:, 1:2])


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train, valid = split(800, 0), split(160, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=20, sampler=sampler, drop_last=True)
    checks = DataLoader(valid, batch_size=40, sampler=DistributedSampler(valid, shuffle=False))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x.to(device)), (y > 0).float().to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        table = confusion(net, checks, device)
        if dist.get_rank() == 0:
            Path(f"confusion_{epoch}.json").write_text(json.dumps(table))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
