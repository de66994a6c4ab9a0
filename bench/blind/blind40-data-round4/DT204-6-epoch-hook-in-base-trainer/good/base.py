import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class BaseTrainer:
    def __init__(self, model, dataset, batch_size):
        cuda = torch.cuda.is_available()
        local = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", local) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        self.model = DistributedDataParallel(model().to(self.device), device_ids=[local] if cuda else None)
        self.sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
        self.loader = DataLoader(dataset, batch_size, sampler=self.sampler, drop_last=True)
        self.optimizer = self.make_optimizer()

    def make_optimizer(self):
        return torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def on_epoch_start(self, epoch):
        self.sampler.set_epoch(epoch)

    def on_epoch_end(self, epoch):
        pass

    def loss(self, batch):
        raise NotImplementedError

    def fit(self, epochs):
        for epoch in range(epochs):
            self.on_epoch_start(epoch)
            for batch in self.loader:
                loss = self.loss([t.to(self.device) for t in batch])
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
            self.on_epoch_end(epoch)

    def close(self):
        dist.barrier()
        dist.destroy_process_group()
