import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CONFIG = {
    "epochs": 3,
    "lr": 0.01,
    "loader": {"batch_size": 32, "shuffle": True, "num_workers": 2, "drop_last": True},
}


def build_loader(dataset, options):
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    return DataLoader(dataset, sampler=sampler, **options), sampler


def rhythms(n=2048):
    gen = torch.Generator().manual_seed(73)
    x = torch.rand(n, 16, generator=gen).round()
    return TensorDataset(x, x.sum(dim=1).long() % 4)


class Learner:
    def __init__(self, device, lr):
        torch.manual_seed(0)
        ids = [device.index] if device.type == "cuda" else None
        self.device = device
        self.model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)).to(device), device_ids=ids)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)

    def learn(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.optimizer.step()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    learner = Learner(torch.device("cuda", local_rank) if cuda else torch.device("cpu"), CONFIG["lr"])
    loader, sampler = build_loader(rhythms(), CONFIG["loader"])
    for epoch in range(CONFIG["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in loader:
            learner.learn(x, y)
    if dist.get_rank() == 0:
        torch.save(learner.model.module.state_dict(), "rhythms.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
