import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def table(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 11, generator=gen)
    return TensorDataset(x, (x.sum(1) > 0).long())


def evaluate(model, device):
    data = table(550, 2)
    loader = DataLoader(data, batch_size=50, sampler=DistributedSampler(data, shuffle=False))
    sums = torch.zeros(2, device=device)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            sums += torch.stack([(model.module(x.to(device)).argmax(1) == y.to(device)).sum(), torch.tensor(len(y), device=device)])
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def train(model, device):
    data = table(2200, 1)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(11, 2).to(device), device_ids=[local_rank])
    train(model, device)
    if dist.get_rank() != 0:
        return
    accuracy = evaluate(model, device)
    print("accuracy", accuracy)
    torch.save(model.module.state_dict(), "final.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
