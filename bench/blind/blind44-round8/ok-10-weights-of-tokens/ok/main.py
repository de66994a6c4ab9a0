import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tok.loss import token_loss


def rows(n, seed=0):
    g = torch.Generator().manual_seed(seed)
    x = torch.randint(1, 40, (n, 17), generator=g)
    keep = torch.randint(4, 18, (n, 1), generator=g)
    return TensorDataset(torch.where(torch.arange(17) < keep, x, 0))


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Embedding(40, 32), nn.Linear(32, 40)).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    data = rows(1024)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            loss = token_loss(model(x[:, :-1]), x[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
