import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from keep.resume import Resumable


class Trainer(Resumable):
    def __init__(self):
        self.local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local)
        dist.init_process_group("nccl")
        self.rank, self.epoch = dist.get_rank(), 0
        torch.manual_seed(0)
        self.net = nn.Linear(6, 1).cuda()
        self.opt = torch.optim.Adam(self.net.parameters())
        self.resume()
        self.model = DDP(self.net, device_ids=[self.local])
        x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
        data = TensorDataset(x, x[:, :1])
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, 32, sampler=self.sampler, drop_last=True)

    def run(self, epochs):
        while self.epoch < epochs:
            self.sampler.set_epoch(self.epoch)
            for a, b in self.loader:
                self.opt.zero_grad()
                nn.functional.mse_loss(self.model(a.cuda()), b.cuda()).backward()
                self.opt.step()
            self.write()
            self.epoch += 1
        dist.destroy_process_group()


if __name__ == "__main__":
    Trainer().run(5)
