import copy
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from snapshot import publish, reload

TEACHER = Path("teacher.pt")


def main(rounds=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8)).to(device)
    teacher = copy.deepcopy(net).requires_grad_(False)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(640, 8, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for r in range(rounds):
        sampler.set_epoch(r)
        for (x,) in loader:
            x = x.to(device)
            loss = F.mse_loss(model(x), x) + 0.1 * F.mse_loss(model(x), teacher(x))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        publish(net.state_dict(), TEACHER)
        teacher = reload(TEACHER, teacher)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
