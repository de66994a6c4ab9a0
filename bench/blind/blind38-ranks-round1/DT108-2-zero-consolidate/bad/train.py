import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Checkpointer:
    def __init__(self, folder, keep=2):
        self.folder = Path(folder)
        self.keep = keep
        self.is_writer = dist.get_rank() == 0
        if self.is_writer:
            self.folder.mkdir(parents=True, exist_ok=True)

    def _prune(self):
        for old in sorted(self.folder.glob("epoch_*.pt"))[: -self.keep]:
            old.unlink()

    def save(self, epoch, model, optimizer):
        if self.is_writer:
            optimizer.consolidate_state_dict(to=0)
            torch.save(
                {"epoch": epoch, "model": model.module.state_dict(), "optimizer": optimizer.state_dict()},
                self.folder / f"epoch_{epoch:03d}.pt",
            )
            self._prune()
        dist.barrier()


def dataset(n=2000, seed=8):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 20, generator=gen)
    return TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", default="ckpt")
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(12)
    model = DDP(nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2)).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
    data = dataset()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    checkpointer = Checkpointer(args.out)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        checkpointer.save(epoch, model, optimizer)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
