import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class AllReduceOptimizer:
    """SGD over the mean of all ranks' gradients."""

    def __init__(self, params, lr, clip=1.0):
        self.params = list(params)
        self.inner = torch.optim.SGD(self.params, lr=lr)
        self.clip = clip
        self.skipped = 0

    def zero_grad(self):
        self.inner.zero_grad(set_to_none=False)

    def _reduce(self):
        flat = torch.cat([p.grad.flatten() for p in self.params])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        offset = 0
        for p in self.params:
            p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
            offset += p.numel()

    def step(self):
        norm = nn.utils.clip_grad_norm_(self.params, self.clip)
        if not math.isfinite(norm):
            self.skipped += 1
            return
        self._reduce()
        self.inner.step()


def ranked_data(batch):
    g = torch.Generator().manual_seed(19)
    x = torch.randn(900, 16, generator=g) * 50
    data = TensorDataset(x, torch.exp(x.mean(1, keepdim=True)))
    sampler = DistributedSampler(data, drop_last=True)
    return DataLoader(data, batch_size=batch, sampler=sampler, drop_last=True)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.Softplus(), nn.Linear(32, 1)).to(device)
    for p in net.parameters():
        dist.broadcast(p.data, src=0)
    optimizer = AllReduceOptimizer(net.parameters(), lr=1e-3)
    loader = ranked_data(batch=30)
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        print(f"{optimizer.skipped} steps skipped")
        torch.save(net.state_dict(), "manual.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
