import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from consensus import any_rank, from_lead

ROOT = Path(os.environ.get("RUN_DIR", "run"))


@from_lead
def newest():
    ROOT.mkdir(parents=True, exist_ok=True)
    found = sorted(ROOT.glob("epoch-*.pt"))
    return str(found[-1]) if found else None


class Deadline:
    def __init__(self, minutes):
        self.end = time.time() + 60 * minutes

    def over(self):
        return time.time() >= self.end


def save(rank, epoch, net, opt):
    if rank == 0:
        torch.save({"epoch": epoch, "net": net.state_dict(), "opt": opt.state_dict()}, ROOT / f"epoch-{epoch:03d}.pt")
    dist.barrier()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    torch.manual_seed(6)
    net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    opt = torch.optim.Adam(net.parameters())
    first = 0
    if (path := newest()) is not None:
        blob = torch.load(path, map_location=device, weights_only=True)
        net.load_state_dict(blob["net"])
        opt.load_state_dict(blob["opt"])
        first = blob["epoch"] + 1
    model = DDP(net, device_ids=[local] if cuda else None)
    g = torch.Generator().manual_seed(2)
    x = torch.randn(480, 10, generator=g)
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    deadline = Deadline(minutes=float(os.environ.get("MINUTES", "30")))
    for epoch in range(first, first + 4):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
        if any_rank(deadline.over(), device):
            save(rank, epoch, net, opt)
            break
    else:
        save(rank, first + 3, net, opt)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
