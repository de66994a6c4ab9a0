"""Noisy student; every epoch is reseeded so that it can be replayed alone."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def reseed(seed, epoch, rank, world):
    torch.manual_seed(seed + epoch * world + rank)


def student_loss(model, x, soft, sigma):
    noisy = x + sigma * torch.randn_like(x)
    return nn.functional.kl_div(model(noisy).log_softmax(-1), soft, reduction="batchmean")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(args.seed)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 100)).cuda(), device_ids=[local])
    blob = torch.load("pseudo.pt", map_location="cpu")
    data = TensorDataset(blob["x"], blob["soft"])
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, batch_size=256, sampler=sampler, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        reseed(args.seed, epoch, rank, world)
        for x, soft in loader:
            loss = student_loss(model, x.cuda(), soft.cuda(), args.sigma)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "student.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
