import os
from datetime import timedelta

os.environ.update(TORCH_NCCL_BLOCKING_WAIT="1", NCCL_DEBUG="WARN")

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(11, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 11, generator=g), torch.randn(640, 1, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
