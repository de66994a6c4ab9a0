import json
import logging
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("train")


def setup_logging(rank, folder):
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(folder / f"rank{rank:03d}.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO if rank == 0 else logging.WARNING)


def sets():
    g = torch.Generator().manual_seed(12)
    x = torch.randn(700, 4, generator=g)
    y = x.pow(2).sum(1)
    return TensorDataset(x[:600], y[:600]), TensorDataset(x[600:], y[600:])


@torch.no_grad()
def validate(net, loader, device):
    total, count = 0.0, 0
    for x, y in loader:
        total += F.mse_loss(net(x.to(device))[:, 0], y.to(device), reduction="sum").item()
        count += len(y)
    return total / count


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    out = Path(os.environ.get("OUT", "out"))
    setup_logging(rank, out / "logs")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train, val = sets()
    sampler = DistributedSampler(train)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=50)  # small: every rank goes through all of it
    history = []
    sampler.set_epoch(0)
    for epoch in range(3):
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device))[:, 0], y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        sampler.set_epoch(epoch + 1)
        score = validate(net, val_loader, device)
        log.info("epoch %d val %.4f", epoch, score)
        history.append({"epoch": epoch, "val": score})
        if rank == 0:
            (out / "history.json").write_text(json.dumps(history))
    for old in sorted(out.glob("history.*.bak")) if rank == 0 else []:
        old.unlink(missing_ok=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
