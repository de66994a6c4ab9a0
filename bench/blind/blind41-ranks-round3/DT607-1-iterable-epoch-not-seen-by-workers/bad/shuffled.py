import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Windows(IterableDataset):
    def __init__(self, rank, world, n=4096):
        self.rank, self.world, self.n = rank, world, n
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        parts, part = (info.num_workers, info.id) if info else (1, 0)
        gen = torch.Generator().manual_seed(1000 + self.epoch)
        order = torch.randperm(self.n, generator=gen)
        whole = self.n - self.n % (self.world * parts)
        for i in order[self.rank * parts + part : whole : self.world * parts].tolist():
            yield torch.full((8,), float(i)) / self.n


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Windows(dist.get_rank(), dist.get_world_size())
    loader = DataLoader(data, batch_size=16, num_workers=2, persistent_workers=True, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 8).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        data.set_epoch(epoch)
        for x in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
