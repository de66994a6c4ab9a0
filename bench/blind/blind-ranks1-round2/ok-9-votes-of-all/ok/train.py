import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from votes import Ballot, Wish


def save(model, step):
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), f"step_{step}.pt")
    dist.barrier()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(7, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(256, 7, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    ballot = Ballot(device, seconds=600)
    step = 0
    wish = Wish.NOTHING
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            wish = ballot.cast(loss.detach())
            if Wish.SAVE in wish:
                save(model, step)
            if Wish.STOP in wish:
                break
        if Wish.STOP in wish:
            break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
