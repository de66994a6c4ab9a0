import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def windows(total, every):
    """(is_last, window length) for each micro-batch; the last window may be shorter."""
    for index in range(total):
        start = index - index % every
        length = min(every, total - start)
        yield index + 1 == start + length, length


def pixels(n=3000):
    gen = torch.Generator().manual_seed(81)
    x = torch.rand(n, 3, 8, 8, generator=gen)
    return TensorDataset(x, x.amax(dim=(1, 2, 3)))


def main(epochs=2, every=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(192, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = pixels()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x, y), (boundary, length) in zip(loader, windows(len(loader), every)):
            context = nullcontext() if boundary else model.no_sync()
            with context:
                loss = F.mse_loss(model(x.to(device)).squeeze(-1), y.to(device))
                (loss / length).backward()
            if boundary:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "max.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
