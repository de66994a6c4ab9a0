import os
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from reader import ShardReader


def main(root, steps=2000):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(3)
    model = DDP(nn.Linear(20, 1).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    reader = ShardReader(root, dist.get_rank(), dist.get_world_size())
    batches = iter(DataLoader(reader, batch_size=64, num_workers=2))
    for _ in range(steps):
        x, y = next(batches)
        loss = F.binary_cross_entropy_with_logits(model(x.to(device)).squeeze(1), y.float().to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
