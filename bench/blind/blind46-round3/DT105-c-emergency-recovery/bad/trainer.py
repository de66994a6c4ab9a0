import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from recovery import recover, recoverable


class DDPTrainer:
    def __init__(self, config):
        self.config = config
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).to(self.device)
        self.model = DDP(net, device_ids=[local_rank] if cuda else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["learning_rate"])
        x = torch.randn(640, 32, generator=torch.Generator().manual_seed(1))
        data = TensorDataset(x, x[:, :4].argmax(1))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, config["batch_size"], sampler=self.sampler, drop_last=True)

    def train_step(self, x, y):
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        try:
            loss.backward()
            self.optimizer.step()
        except RuntimeError as err:
            if not recoverable(err):
                raise
            recover(self.optimizer)

    def train(self):
        for epoch in range(self.config["num_epochs"]):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.train_step(x, y)


if __name__ == "__main__":
    trainer = DDPTrainer({"batch_size": 32, "learning_rate": 1e-4, "num_epochs": 3})
    trainer.train()
    dist.destroy_process_group()
