import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Runner:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group(backend="nccl")
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 3))
        self.model = DDP(net.cuda())
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loss = nn.CrossEntropyLoss().cuda()

    def fit(self, data, epochs):
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=128, sampler=sampler, pin_memory=True, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                loss = self.loss(self.model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
            if dist.get_rank() == 0:
                torch.save(self.model.module.state_dict(), "thirds.pt")


def thirds(n=16_000):
    x = torch.rand(n, 10, generator=torch.Generator().manual_seed(2))
    return TensorDataset(x, (x.sum(1) * 0.3).long().clamp(max=2))


if __name__ == "__main__":
    runner = Runner()
    try:
        runner.fit(thirds(), epochs=5)
    finally:
        dist.destroy_process_group()
