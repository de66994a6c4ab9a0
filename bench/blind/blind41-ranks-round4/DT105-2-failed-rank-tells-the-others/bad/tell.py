import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Job:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.model = DDP(nn.Linear(8, 3).cuda(), device_ids=[self.local_rank])
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
        gen = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(720, 8, generator=gen), torch.randint(0, 3, (720,), generator=gen))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=12, sampler=self.sampler, drop_last=True)

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x.cuda()), y.cuda())
        loss.backward()
        self.opt.step()

    def run(self):
        for epoch in range(2):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                try:
                    self.step(x, y)
                except RuntimeError as error:
                    dist.broadcast_object_list([str(error)], src=dist.get_rank())
                    raise
        dist.destroy_process_group()


if __name__ == "__main__":
    Job().run()
