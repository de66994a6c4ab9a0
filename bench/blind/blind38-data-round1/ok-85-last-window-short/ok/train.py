"""Gradient accumulation whose last window may be short: it is divided by its own length and closes the epoch."""
import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def chunks(loader, size):
    """Lists of up to `size` batches."""
    held = []
    for batch in loader:
        held.append(batch)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held


def rows():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(3000, 20, generator=g)
    return TensorDataset(x, x[:, :3].argmax(dim=1))


def update(model, optimizer, window, device):
    loss_sum = torch.zeros((), device=device)
    for number, (x, y) in enumerate(window, start=1):
        quiet = model.no_sync() if number < len(window) else contextlib.nullcontext()
        with quiet:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device)) / len(window)
            loss.backward()
        loss_sum += loss.detach()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss_sum


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(1)
    data = rows()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler)
    model = DDP(nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    updates = -(-len(loader) // 4)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, total_iters=6 * updates)
    for epoch in range(6):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for window in chunks(loader, 4):
            total += update(model, optimizer, window, device)
            schedule.step()
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(epoch, total.item() / updates / dist.get_world_size(), flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "short.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
