import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class SlurmContext:
    """Process layout as srun gives it (four tasks on each of two nodes)."""

    def __init__(self, env=os.environ):
        self.rank = int(env["SLURM_PROCID"])
        self.local_rank = int(env["SLURM_LOCALID"])
        self.world_size = int(env["SLURM_NTASKS"])
        self.device = torch.device("cuda", self.local_rank)

    def __enter__(self):
        torch.cuda.set_device(self.device)
        dist.init_process_group("nccl", rank=self.rank, world_size=self.world_size)
        return self

    def __exit__(self, *exc):
        dist.destroy_process_group()

    @property
    def lead(self):
        return self.rank == 0


def regression_data(rows=8192, dim=40):
    gen = torch.Generator().manual_seed(6)
    x = torch.randn(rows, dim, generator=gen)
    return TensorDataset(x, x @ torch.randn(dim, 1, generator=gen))


def train(ctx, epochs=3):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 1)).to(ctx.device)
    model = DDP(net, device_ids=[ctx.device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = regression_data()
    sampler = DistributedSampler(data, num_replicas=ctx.world_size, rank=ctx.rank, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        running = torch.zeros((), device=ctx.device)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x.to(ctx.device)), y.to(ctx.device))
            loss.backward()
            opt.step()
            running += loss.detach()
        dist.all_reduce(running, op=dist.ReduceOp.AVG)
        if ctx.lead:
            print(f"epoch {epoch}: {running.item() / len(loader):.5f}")
    if ctx.lead:
        torch.save(net.state_dict(), "regressor.pt")


if __name__ == "__main__":
    with SlurmContext() as ctx:
        train(ctx)
