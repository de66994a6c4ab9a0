import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split


def main(seed=17, epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    x = torch.randn(800, 9)
    train, held_out = random_split(TensorDataset(x, x.sum(1, keepdim=True)), [0.8, 0.2])
    net = nn.Sequential(nn.Linear(9, 30), nn.Dropout(0.2), nn.Linear(30, 1)).to(device)
    torch.manual_seed(seed + 1 + rank)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sampler = DistributedSampler(train, drop_last=True, seed=seed)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            noisy = bx + 0.05 * torch.randn_like(bx)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(noisy.to(device)), by.to(device)).backward()
            optimizer.step()
    model.eval()
    share = torch.utils.data.Subset(held_out, range(rank, len(held_out), dist.get_world_size()))
    sums = torch.zeros(2, device=device)
    with torch.no_grad():
        for bx, by in DataLoader(share, batch_size=32):
            sums[0] += F.mse_loss(net(bx.to(device)), by.to(device), reduction="sum")
            sums[1] += len(bx)
    dist.all_reduce(sums)
    if rank == 0:
        print("held out", (sums[0] / sums[1]).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
