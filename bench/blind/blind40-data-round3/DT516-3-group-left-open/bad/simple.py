import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Distributed:
    def __enter__(self):
        self.cuda = torch.cuda.is_available()
        self.local = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(f"rank {dist.get_rank()} stops: {error!r}", flush=True)
        return False

    @property
    def device(self):
        return torch.device("cuda", self.local) if self.cuda else torch.device("cpu")

    def wrap(self, net):
        return DDP(net.to(self.device), device_ids=[self.local] if self.cuda else None)


def train(where, epochs):
    torch.manual_seed(0)
    model = where.wrap(nn.Linear(6, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            opt.zero_grad()
            F.mse_loss(model(features.to(where.device)), target.to(where.device)).backward()
            opt.step()
    return model


if __name__ == "__main__":
    with Distributed() as where:
        trained = train(where, 3)
        if dist.get_rank() == 0:
            torch.save(trained.module.state_dict(), "linear.pt")
        dist.barrier()
