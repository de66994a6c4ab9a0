import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tracker import WandbTracker, settings


def main():
    cfg = settings(lr=0.1, epochs=2, batch_size=16)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    tracker = WandbTracker("toy", cfg)
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 2).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    x = torch.randn(320, 5, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.batch_size, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(bx.to(device)), by.to(device))
            loss.backward()
            optimizer.step()
            step += 1
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        tracker.log(step, loss=mean.item() / dist.get_world_size())
    tracker.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
