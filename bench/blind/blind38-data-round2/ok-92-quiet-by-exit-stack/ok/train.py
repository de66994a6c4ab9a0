"""Two towers, one window: an ExitStack keeps both quiet, forward and backward, until the window closes."""
import os
from contextlib import ExitStack

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def towers(device, ids):
    make = lambda width: nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 32)).to(device)
    return [DDP(make(48), device_ids=ids), DDP(make(24), device_ids=ids)]


def batches(rows=4096):
    g = torch.Generator().manual_seed(0)
    hidden = torch.randn(rows, 8, generator=g)
    data = TensorDataset(hidden @ torch.randn(8, 48, generator=g), hidden @ torch.randn(8, 24, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, 32, sampler=sampler, drop_last=True), sampler


def main(window=4, epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    pair = towers(device, [local] if cuda else None)
    parameters = [p for tower in pair for p in tower.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    loader, sampler = batches()
    usable = len(loader) // window * window
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for index, inputs in enumerate(loader):
            if index >= usable:
                break
            closing = index % window == window - 1
            with ExitStack() as stack:
                if not closing:
                    for tower in pair:
                        stack.enter_context(tower.no_sync())
                a, b = (tower(x.to(device)) for tower, x in zip(pair, inputs))
                loss = nn.functional.cross_entropy(a @ b.t(), torch.arange(len(a), device=device)) / window
                loss.backward()
            if closing:
                nn.utils.clip_grad_norm_(parameters, 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save([tower.module.state_dict() for tower in pair], "towers.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
