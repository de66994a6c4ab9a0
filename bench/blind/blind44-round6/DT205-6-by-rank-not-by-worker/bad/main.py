import itertools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from rows.stream import Rows


def main(steps=1000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = Rows("/data/table.csv", dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=64, num_workers=4, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(20, 1).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in itertools.islice(loader, steps):
        opt.zero_grad()
        nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
