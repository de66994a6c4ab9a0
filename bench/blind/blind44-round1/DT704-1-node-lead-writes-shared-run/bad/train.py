import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from runs.context import open_context
from runs.snapshot import Snapshots


def main():
    ctx = open_context("/nfs/runs/exp7")
    torch.manual_seed(0)
    net = nn.Linear(30, 3).to(ctx.device)
    model = DDP(net, device_ids=[ctx.local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(3000, 30, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 50, sampler=sampler, drop_last=True)
    snapshots = Snapshots(ctx)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(a.to(ctx.device)), b.to(ctx.device)).backward()
            opt.step()
        snapshots.write(net, epoch)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
