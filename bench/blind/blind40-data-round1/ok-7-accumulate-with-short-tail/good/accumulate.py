import contextlib
import itertools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def windows(loader, size):
    source = iter(loader)
    while chunk := list(itertools.islice(source, size)):
        yield chunk


def train_window(model, opt, chunk, device):
    opt.zero_grad(set_to_none=True)
    for i, (x, y) in enumerate(chunk):
        with model.no_sync() if i + 1 < len(chunk) else contextlib.nullcontext():
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            (loss / len(chunk)).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()


def main(epochs=2, size=4):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 3).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(440, 12, generator=gen)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    schedule = torch.optim.lr_scheduler.LinearLR(opt, total_iters=epochs * -(-len(loader) // size))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for chunk in windows(loader, size):
            train_window(model, opt, chunk, device)
            schedule.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
