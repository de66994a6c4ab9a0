import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def sync_hook(world):
    def hook(p):
        dist.all_reduce(p.grad)
        p.grad.div_(world)

    return hook


class Net(nn.Module):
    def __init__(self, dim=20, drop=0.1):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim, 50), nn.ReLU(), nn.Dropout(drop), nn.Linear(50, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(args.seed + rank)
    model = Net().to(device)
    for p in model.parameters():
        p.register_post_accumulate_grad_hook(sync_hook(world))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(2000, 20, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.amax(1))
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            opt.zero_grad()
            F.l1_loss(model(features.to(device)), target.to(device)).backward()
            opt.step()
    if rank == 0:
        torch.save(model.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
