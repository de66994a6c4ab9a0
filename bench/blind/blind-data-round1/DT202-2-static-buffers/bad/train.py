import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import GraphedStep


def build_loader(batch_size):
    generator = torch.Generator().manual_seed(9)
    x = torch.randn(1000, 32, generator=generator)
    dataset = TensorDataset(x, x.square().mean(1, keepdim=True))
    sampler = DistributedSampler(dataset, shuffle=True)
    return sampler, DataLoader(dataset, batch_size=batch_size, sampler=sampler, pin_memory=True)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    sampler, loader = build_loader(64)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        net = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 1)).to(device)
        model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    x, y = next(iter(loader))
    step = GraphedStep(model, optimizer, F.mse_loss, x.to(device), y.to(device))
    step.x.copy_(x)
    step.y.copy_(y)
    step.warm_up(rounds=11)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = step(x.to(device, non_blocking=True), y.to(device, non_blocking=True))
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
        print("done", loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
