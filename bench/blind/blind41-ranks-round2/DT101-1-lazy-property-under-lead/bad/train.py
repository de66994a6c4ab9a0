import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meters import Meter


class Experiment:
    def __init__(self):
        gpu = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if gpu:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if gpu else "gloo")
        self.device = torch.device("cuda", self.local_rank) if gpu else torch.device("cpu")
        self.lead = dist.get_rank() == 0
        torch.manual_seed(0)
        self.model = DistributedDataParallel(nn.Linear(9, 3).to(self.device))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def loader(self, epoch):
        gen = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(900, 9, generator=gen), torch.randint(0, 3, (900,), generator=gen))
        sampler = DistributedSampler(data, drop_last=True)
        sampler.set_epoch(epoch)
        return DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)

    def run(self, epochs=2):
        for epoch in range(epochs):
            meter = Meter(self.device)
            for x, y in self.loader(epoch):
                loss = nn.functional.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                meter.update(loss.item(), len(x))
            if self.lead:
                print(f"epoch {epoch} mean loss {meter.mean:.4f}")
        dist.destroy_process_group()


if __name__ == "__main__":
    Experiment().run()
