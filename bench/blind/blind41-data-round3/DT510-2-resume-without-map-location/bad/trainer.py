import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Trainer:
    def __init__(self, path):
        self.path = path
        self.local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        self.model = DDP(nn.Linear(256, 256).cuda(), device_ids=[self.local])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.epoch = 0

    def resume(self):
        if os.path.exists(self.path):
            state = torch.load(self.path, weights_only=True)
            self.model.module.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.epoch = state["epoch"] + 1
        dist.barrier()

    def save(self, epoch):
        if dist.get_rank() == 0:
            state = {"model": self.model.module.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}
            torch.save(state, self.path)

    def fit(self, epochs):
        x = torch.randn(8192, 256)
        data = TensorDataset(x, x.flip(1))
        sampler = DistributedSampler(data)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        for epoch in range(self.epoch, epochs):
            sampler.set_epoch(epoch)
            for xb, yb in loader:
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(xb.cuda()), yb.cuda()).backward()
                self.optimizer.step()
            self.save(epoch)


if __name__ == "__main__":
    trainer = Trainer("last.pt")
    trainer.resume()
    trainer.fit(10)
    dist.destroy_process_group()
