"""Keeps the last few checkpoints; the weights are written by rank 0."""
import os
import re
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Keeper:
    pattern = re.compile(r"step_(\d+)\.pt")

    def __init__(self, folder, keep=3):
        self.folder = Path(folder)
        self.keep = keep
        self.folder.mkdir(parents=True, exist_ok=True)

    def found(self):
        pairs = [(self.pattern.fullmatch(path.name), path) for path in self.folder.iterdir()]
        return [path for match, path in sorted((int(m[1]), p) for m, p in pairs if m)]

    def write(self, state, step):
        if dist.get_rank() == 0:
            part = self.folder / f"step_{step}.part"
            torch.save(state, part)
            part.rename(self.folder / f"step_{step}.pt")
        dist.barrier()
        self.prune()

    def prune(self):
        for old in self.found()[: -self.keep]:
            old.unlink()


def rows():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(4000, 10, generator=g)
    return TensorDataset(x, x.pow(2).sum(dim=1, keepdim=True))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 50, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    keeper = Keeper("checkpoints/squares")
    step = 0
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 20 == 0:
                keeper.write({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, step)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
