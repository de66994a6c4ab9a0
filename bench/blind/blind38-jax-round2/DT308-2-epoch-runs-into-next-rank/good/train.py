import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from replay import OwnShardReplay


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", default="replay_{:02d}.npy")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=100)
    args = parser.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed)
    net = nn.Sequential(nn.Linear(17, 128), nn.ReLU(), nn.Linear(128, 17)).to(device)
    model = DistributedDataParallel(net, device_ids=[device.index])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    data = OwnShardReplay(np.load(args.shards.format(rank)), rank, world, args.seed, per_epoch=4096)
    loader = DataLoader(data, batch_size=128, drop_last=True)
    for epoch in range(args.epochs):
        data.set_epoch(epoch)
        for rows in loader:
            rows = rows.to(device)
            loss = (model(rows) - rows).abs().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(net.state_dict(), "world_model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
