import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from settings import shared_settings


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    settings = shared_settings("train.json")
    torch.manual_seed(settings["seed"])
    net = nn.Sequential(nn.Linear(33, settings["width"]), nn.ReLU(), nn.Linear(settings["width"], 1)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=settings["lr"])
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(8192, 33, generator=gen)
    data = TensorDataset(x, x.norm(dim=1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(settings["epochs"]):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(a.cuda()), b.cuda()).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "norm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
