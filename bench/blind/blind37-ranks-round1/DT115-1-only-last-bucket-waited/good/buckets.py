import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class BucketReducer:
    """Averages gradients in flat buckets so that communication overlaps with flattening."""

    def __init__(self, params, limit=4096):
        self.world = dist.get_world_size()
        self.buckets, current, size = [], [], 0
        for p in reversed([p for p in params if p.requires_grad]):
            if current and size + p.numel() > limit:
                self.buckets.append(current)
                current, size = [], 0
            current.append(p)
            size += p.numel()
        self.buckets.append(current)

    @torch.no_grad()
    def reduce(self):
        pending = []
        for bucket in self.buckets:
            flat = torch.cat([p.grad.reshape(-1) for p in bucket])
            pending.append((bucket, flat, dist.all_reduce(flat, async_op=True)))
        for bucket, flat, work in pending:
            work.wait()
            flat.div_(self.world)
            offset = 0
            for p in bucket:
                p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
                offset += p.numel()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(99)
    net = nn.Sequential(nn.Linear(24, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 3)).to(device)
    reducer = BucketReducer(net.parameters())
    opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    gen = torch.Generator().manual_seed(31)
    x = torch.randn(480, 24, generator=gen)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(a.to(device)), b.to(device)).backward()
            reducer.reduce()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "buckets.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
