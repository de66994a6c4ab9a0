import argparse
import datetime
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Run:
    def __init__(self, root, job=None):
        self.begun = datetime.datetime.now()
        self.folder = Path(root) / (job or "local")

    def note(self, epoch):
        age = datetime.datetime.now() - self.begun
        return f"{self.folder.name}: epoch {epoch} after {age.total_seconds():.0f} s"

    def checkpoint(self, epoch):
        return self.folder / f"{epoch:04d}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    run = Run(args.root, os.environ.get("SLURM_JOB_ID"))
    torch.manual_seed(0)
    net = fully_shard(nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1)).to(device))
    opt = torch.optim.AdamW(net.parameters())
    x = torch.randn(320, 10, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            nn.functional.mse_loss(net(xb.to(device)), yb.to(device)).backward()
            opt.step()
            opt.zero_grad()
        state, optim_state = get_state_dict(net, opt)
        dcp.save({"net": state, "opt": optim_state}, checkpoint_id=run.checkpoint(epoch))
        if dist.get_rank() == 0:
            print(run.note(epoch))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
