import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from prefetch import Prefetched


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def reshuffle(loader, epoch):
    sampler = getattr(loader, "sampler", None)
    if isinstance(sampler, DistributedSampler):
        sampler.set_epoch(epoch)


def main(epochs=4):
    device = start()
    x = torch.randn(320, 12, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.logsumexp(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    loader = Prefetched(loader, device)
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for epoch in range(epochs):
        reshuffle(loader, epoch)
        for rows, target in loader:
            loss = F.mse_loss(model(rows)[:, 0], target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "lse.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
