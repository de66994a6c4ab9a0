import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm.auto import tqdm


def mean_over_ranks(t):
    t = t.detach().clone()
    dist.all_reduce(t)
    return (t / dist.get_world_size()).item()


def epoch(model, opt, loader, device, rank, every):
    bar = tqdm(loader, disable=rank != 0, dynamic_ncols=True)
    for step, (x, y) in enumerate(bar):
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % every == 0:
            bar.set_postfix(loss=f"{mean_over_ranks(loss):.3f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--every", type=int, default=5)
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(9, 30), nn.ReLU(), nn.Linear(30, 3)).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(720, 9, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    for number in range(args.epochs):
        sampler.set_epoch(number)
        epoch(model, opt, loader, device, rank, args.every)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
