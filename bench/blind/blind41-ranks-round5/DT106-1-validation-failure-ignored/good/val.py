import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def validate(model, loader, device):
    hits = torch.zeros(2, device=device)
    for x, y in loader:
        if x.isnan().any():
            raise ValueError("nan in the validation data")
        hits += torch.stack([(model(x.to(device)).argmax(1) == y.to(device)).sum(), torch.tensor(len(y), device=device)])
    dist.all_reduce(hits)
    return (hits[0] / hits[1]).item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1000, 9, generator=gen), torch.randint(0, 2, (1000,), generator=gen))
    held = TensorDataset(torch.randn(200, 9, generator=gen), torch.randint(0, 2, (200,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    held_loader = DataLoader(held, batch_size=20, sampler=DistributedSampler(held, shuffle=False))
    torch.manual_seed(0)
    model = DDP(nn.Linear(9, 2).to(device), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        with torch.no_grad():
            accuracy = validate(model.module, held_loader, device)
        if dist.get_rank() == 0:
            print(epoch, accuracy)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
