import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from lamb import ShardedClipper


def rows(n=512):
    g = torch.Generator().manual_seed(12)
    x = torch.randn(n, 40, generator=g)
    return TensorDataset(x, x @ torch.ones(40, 1) / 40)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(3)
    model = DDP(nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 1)).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    clipper = ShardedClipper(model.parameters(), max_norm=1.0)
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(loader):
            opt.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            norm = clipper.clip()
            opt.step()
            if step % 8 == 0 and dist.get_rank() == 0:
                print(f"{epoch}.{step} grad norm {norm.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
