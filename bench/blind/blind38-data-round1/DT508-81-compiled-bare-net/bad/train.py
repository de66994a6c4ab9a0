"""Denoising autoencoder; the step is compiled, the gradients are averaged by DDP."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class AutoEncoder(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(width, 256), nn.GELU(), nn.Linear(256, code))
        self.decode = nn.Sequential(nn.Linear(code, 256), nn.GELU(), nn.Linear(256, width))

    def forward(self, x):
        return self.decode(self.encode(x))


def signals(rows=8192, width=128):
    g = torch.Generator().manual_seed(4)
    basis = torch.randn(12, width, generator=g)
    return TensorDataset(torch.randn(rows, 12, generator=g) @ basis)


def build(args, device):
    net = AutoEncoder(args.width, args.code).to(device)
    replicas = DistributedDataParallel(net, device_ids=[device.index] if device.type == "cuda" else None)
    forward = torch.compile(net, dynamic=False) if args.compile else replicas
    return net, replicas, forward


def train(forward, replicas, optimizer, loader, noise, device):
    replicas.train()
    total = torch.zeros((), device=device)
    for (clean,) in loader:
        clean = clean.to(device, non_blocking=True)
        noisy = clean + noise * torch.randn_like(clean)
        loss = nn.functional.mse_loss(forward(noisy), clean)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    dist.all_reduce(total)
    return total.item() / (len(loader) * dist.get_world_size())


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--width", type=int, default=128)
    cli.add_argument("--code", type=int, default=16)
    cli.add_argument("--noise", type=float, default=0.2)
    cli.add_argument("--epochs", type=int, default=6)
    cli.add_argument("--batch-size", type=int, default=64)
    cli.add_argument("--no-compile", dest="compile", action="store_false")
    args = cli.parse_args()

    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()

    torch.manual_seed(8)
    net, replicas, forward = build(args, device)
    torch.manual_seed(8 + rank)
    optimizer = torch.optim.AdamW(replicas.parameters(), lr=1e-3)
    rows = signals(width=args.width)
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=args.batch_size, sampler=sampler, drop_last=True)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        mean = train(forward, replicas, optimizer, loader, args.noise, device)
        if rank == 0:
            print(f"epoch {epoch}: {mean:.5f}", flush=True)
    if rank == 0:
        torch.save(net.state_dict(), "autoencoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
