import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoint import Checkpoints


def main(epochs=4):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    store = Checkpoints("ckpt")
    model = DDP(nn.Linear(64, 64).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    step = store.load(model.module, optimizer, map_location=f"cuda:{local}")
    x = torch.randn(4096, 64)
    data = TensorDataset(x, x.flip(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(step // len(loader), epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb.cuda()), yb.cuda()).backward()
            optimizer.step()
            step += 1
        dist.barrier()
        if dist.get_rank() == 0:
            store.save(step, model.module, optimizer)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
