import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from catalogue import Catalogue


def main(root):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    mine = Catalogue(Path(root)).part(dist.get_rank(), dist.get_world_size())
    model = DistributedDataParallel(nn.Linear(10, 10))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for path in mine:
        x = torch.from_numpy(np.load(path))
        optimizer.zero_grad()
        (model(x) - x).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
