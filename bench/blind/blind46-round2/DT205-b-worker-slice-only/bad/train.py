import itertools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def lines(n=4800, dim=8):
    g = torch.Generator().manual_seed(31)
    for _ in range(n):
        x = torch.randn(dim, generator=g)
        yield x, x.max()


class Stream(IterableDataset):
    def __init__(self, source, rank=0, world=1):
        super().__init__()
        self.source, self.rank, self.world = source, rank, world

    def __iter__(self):
        info = get_worker_info()
        index, count = (info.id, info.num_workers) if info else (0, 1)
        yield from itertools.islice(self.source(), index, None, count)


def main(workers=2, batch=25):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    stream = Stream(lines, rank=dist.get_rank(), world=dist.get_world_size())
    loader = DataLoader(stream, batch_size=batch, num_workers=workers, drop_last=True)
    steps = 4800 // (dist.get_world_size() * workers * batch) * workers
    for x, y in itertools.islice(loader, steps):
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(model(x.to(device)).squeeze(1), y.to(device)).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
