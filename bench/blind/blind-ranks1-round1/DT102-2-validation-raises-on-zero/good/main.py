import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from run_config import RunConfig, prepare_output


def build(cfg, device):
    layers, width = [], 6
    for h in cfg.hidden:
        layers += [nn.Linear(width, h), nn.ReLU()]
        width = h
    return nn.Sequential(*layers, nn.Linear(width, 1)).to(device)


def fit(cfg, rank, device):
    torch.manual_seed(0)
    net = build(cfg, device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    g = torch.Generator().manual_seed(2)
    x = torch.randn(256, 6, generator=g)
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(net.state_dict(), cfg.out / f"epoch{epoch}.pt")
        dist.barrier()


def main(path):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    cfg = RunConfig.load(path)
    prepare_output(cfg, rank)
    fit(cfg, rank, torch.device("cuda", local_rank) if cuda else torch.device("cpu"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "run.yaml")
