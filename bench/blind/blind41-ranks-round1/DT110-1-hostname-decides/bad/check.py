import os
import socket

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

SUSPECTS = {"gpu-17", "gpu-41"}


def checksum(model):
    return torch.stack([p.detach().double().sum() for p in model.parameters()]).sum().reshape(1)


def verify(model):
    mine = checksum(model)
    everyone = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, mine)
    spread = torch.cat(everyone).max() - torch.cat(everyone).min()
    if spread > 1e-6:
        raise RuntimeError(f"replicas differ by {spread.item():.3e}")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    watch = socket.gethostname() in SUSPECTS
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 2)).to(device))
    opt = torch.optim.Adam(model.parameters())
    gen = torch.Generator().manual_seed(6)
    data = TensorDataset(torch.randn(512, 16, generator=gen), torch.randint(0, 2, (512,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
            step += 1
            if watch and step % 10 == 0:
                verify(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
