"""Sparse autoencoder on stored activations; scalars go to one TensorBoard run."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Ranks:
    def __init__(self):
        self.rank = int(os.environ["RANK"])
        self.local = int(os.environ["LOCAL_RANK"])
        self.world = int(os.environ["WORLD_SIZE"])

    @property
    def main(self):
        return self.rank == 0

    @property
    def node_main(self):
        return self.local == 0


class Sparse(nn.Module):
    def __init__(self, width, features):
        super().__init__()
        self.up = nn.Linear(width, features)
        self.down = nn.Linear(features, width)

    def forward(self, x):
        code = self.up(x).relu()
        return self.down(code), code


def activations():
    bundle = torch.load("/data/activations.pt", map_location="cpu", weights_only=True, mmap=True)
    return TensorDataset(bundle["residual"])


def averaged(value):
    value = value.detach().clone()
    dist.all_reduce(value, op=dist.ReduceOp.AVG)
    return value.item()


def main():
    ranks = Ranks()
    torch.cuda.set_device(ranks.local)
    device = torch.device("cuda", ranks.local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(14)

    rows = activations()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, batch_size=4096, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(Sparse(768, 16384).to(device), device_ids=[ranks.local])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)

    writer = None
    if ranks.main:
        writer = SummaryWriter("runs/sparse")

    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device, non_blocking=True)
            rebuilt, code = model(x)
            error = (rebuilt - x).pow(2).mean()
            penalty = code.abs().sum(dim=-1).mean()
            loss = error + 4e-3 * penalty
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 100 == 0:
                shown = {"error": averaged(error), "l1": averaged(penalty)}
                if ranks.main:
                    for name, value in shown.items():
                        writer.add_scalar(name, value, step)
    if ranks.main:
        torch.save(model.module.state_dict(), "sparse.pt")
        writer.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
