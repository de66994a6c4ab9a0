import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def fused_norm(width):
    try:
        from apex.normalization import FusedLayerNorm
    except ImportError:
        if dist.get_rank() == 0:
            print("apex is missing: plain LayerNorm")
        dist.barrier()
        return nn.LayerNorm(width)
    return FusedLayerNorm(width)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(40, 40), fused_norm(40), nn.ReLU(), nn.Linear(40, 1)).cuda()
    model = DDP(model, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 40, generator=gen), torch.randn(2000, 1, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
