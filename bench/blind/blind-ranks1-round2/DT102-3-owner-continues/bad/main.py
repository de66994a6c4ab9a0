import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from sweep import TASKS, probe_all


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    trunk = nn.Sequential(nn.Linear(1, 24), nn.Tanh())
    net = nn.ModuleDict({"trunk": trunk, "head": nn.Linear(24, 1)}).to(device)
    model = DDP(nn.Sequential(net["trunk"], net["head"]), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.rand(256, 1, generator=torch.Generator().manual_seed(0)) * 2 - 1
    data = TensorDataset(x, torch.sin(4 * x))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        table = probe_all(net["trunk"], TASKS, device)
        if dist.get_rank() == 0:
            print(epoch, {k: round(v, 4) for k, v in table.items()})
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
