import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from wind.scaler import Scaled


def main(epochs=2, window=4):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(64, 1).cuda(), device_ids=[local])
    scaled = Scaled(torch.optim.SGD(model.parameters(), lr=0.1), window, 1.0)
    x = torch.randn(8192, 64, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for index, (a, b) in enumerate(loader):
            last = (index + 1) % window == 0
            with contextlib.nullcontext() if last else model.no_sync():
                with torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.mse_loss(model(a.cuda()), b.cuda())
                scaled.backward(loss)
            scaled.maybe_step(index)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
