import os
from types import SimpleNamespace

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def split(n, seed, train):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 10, generator=gen)
    data = TensorDataset(x, x.sum(dim=1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=train, drop_last=train)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=train)
    return SimpleNamespace(sampler=sampler, loader=loader)


def one_epoch(model, batches, device, opt=None):
    total = torch.zeros(2, device=device)
    with torch.set_grad_enabled(opt is not None):
        for x, y in batches:
            loss = F.mse_loss((model if opt else model.module)(x.to(device)), y.to(device))
            if opt is not None:
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
            total += torch.stack([loss.detach() * len(x), torch.tensor(float(len(x)), device=device)])
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def main(epochs=6):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = {"train": split(4096, 1, True), "val": split(512, 2, False)}
    for epoch in range(epochs):
        for name, part in data.items():
            if name == "train":
                part.sampler.set_epoch(epoch)
            score = one_epoch(model, part.loader, device, opt if name == "train" else None)
            if dist.get_rank() == 0:
                print(f"epoch {epoch} {name} {score:.4f}")
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "sum.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
