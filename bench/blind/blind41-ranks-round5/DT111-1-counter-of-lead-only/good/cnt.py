import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Watch:
    def __init__(self):
        self.late = 0

    def see(self, step):
        if step % 7 == 0:
            self.late += 1


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 10).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 10, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    watch = Watch()
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
            step += 1
            watch.see(step)
        while watch.late > 5:
            dist.barrier()
            watch.late -= 5
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
