import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoint import load_checkpoint, newest, save_checkpoint

FOLDER = Path("checkpoints")


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 4)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    step = 0
    if (path := newest(FOLDER)) is not None:
        step = load_checkpoint(path, net, optimizer, map_location=device)
    model = DDP(net, device_ids=[local_rank])
    x = torch.randn(2048, 16, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.argmax(1) % 4)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(step // len(loader), epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(bx.to(device)), by.to(device)).backward()
            optimizer.step()
            step += 1
        if dist.get_rank() == 0:
            save_checkpoint(FOLDER, step, net, optimizer)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
