import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from runs import new_run


class Job:
    def __init__(self):
        cuda = torch.cuda.is_available()
        if cuda:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("cuda:nccl,cpu:gloo" if cuda else "gloo")
        self.device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
        self.run = new_run()
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)).to(self.device)
        for layer in self.model:
            if isinstance(layer, nn.Linear):
                fully_shard(layer)
        fully_shard(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def save(self, epoch):
        model_state, optimizer_state = get_state_dict(self.model, self.optimizer)
        dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id=self.run / f"epoch{epoch}")

    def fit(self, epochs=2):
        x = torch.randn(256, 8, generator=torch.Generator().manual_seed(6))
        dataset = TensorDataset(x, x.roll(1, dims=1))
        sampler = DistributedSampler(dataset, drop_last=True)
        loader = DataLoader(dataset, batch_size=16, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for inputs, target in loader:
                loss = F.mse_loss(self.model(inputs.to(self.device)), target.to(self.device))
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.save(epoch)


def main():
    job = Job()
    job.fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
