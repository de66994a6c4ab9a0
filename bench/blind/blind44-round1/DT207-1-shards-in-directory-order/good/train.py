import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from shards.dataset import ShardDataset


def main(root="/data/shards", epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    data = ShardDataset(root, rank, world)
    loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=4, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(31, 64), nn.SiLU(), nn.Linear(64, 1)).cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
