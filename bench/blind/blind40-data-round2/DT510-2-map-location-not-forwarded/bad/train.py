import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import ckpt


def main(epochs=20, folder="runs/linear"):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 100), nn.ReLU(), nn.Linear(100, 1)).to(device)
    model = DDP(net, device_ids=[local])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = ckpt.load_checkpoint(folder, model.module, opt, map_location=device)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(4000, 10, generator=gen)
    data = TensorDataset(x, x.pow(2).sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=100, sampler=sampler, drop_last=True, pin_memory=True)
    for epoch in range(start, epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = F.mse_loss(model(features.to(device)), target.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        if dist.get_rank() == 0:
            ckpt.save_checkpoint(folder, epoch, model.module, opt)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
