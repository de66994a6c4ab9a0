import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from seeding import rank_from_env, seed_all


def average_gradients(model):
    world = float(dist.get_world_size())
    for p in filter(lambda p: p.grad is not None, model.parameters()):
        dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
        p.grad /= world


def main(seed=3, epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    seed_all(seed)
    net = nn.Sequential(nn.Linear(15, 30), nn.ReLU(), nn.Dropout(0.1), nn.Linear(30, 3)).to(device)
    seed_all(seed + rank_from_env())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(600, 15, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad()
            F.cross_entropy(net(bx.to(device)), by.to(device)).backward()
            average_gradients(net)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
