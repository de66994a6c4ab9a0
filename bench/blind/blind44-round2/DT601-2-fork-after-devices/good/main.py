import glob
import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from feats.pool import extract_all


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(nn.Linear(128, 8).cuda(), device_ids=[local])
    paths = sorted(glob.glob("/data/waves/*.npy"))
    mine = paths[rank : len(paths) // world * world : world]
    feats = torch.from_numpy(np.stack(extract_all(mine, workers=4))).float()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(100):
        x = feats[torch.randint(0, len(feats), (32,))].cuda()
        opt.zero_grad()
        model(x).square().mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
