import contextlib
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Outcome:
    error: Exception | None = None

    @contextlib.contextmanager
    def capture(self):
        self.error = None
        try:
            yield
        except (RuntimeError, ValueError) as err:
            self.error = err

    def anywhere(self, device):
        flag = torch.tensor(float(self.error is not None), device=device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())


def parse(x):
    if x.isnan().any():
        raise ValueError("broken sample")
    return x


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    x = torch.randn(256, 8, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    outcome = Outcome()
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad()
            with outcome.capture():
                F.mse_loss(net(parse(bx).to(device)), by.to(device)).backward()
            if outcome.anywhere(device):
                continue
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
