import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from rundir import new_run


class MLP(nn.Module):
    def __init__(self, dim=16, hidden=512, depth=3):
        super().__init__()
        self.inp = nn.Linear(dim, hidden)
        self.hidden = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(depth))
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        x = F.relu(self.inp(x))
        for layer in self.hidden:
            x = F.relu(layer(x))
        return self.out(x)


def parity(n=8192, dim=16):
    g = torch.Generator().manual_seed(31)
    bits = torch.randint(0, 2, (n, dim), generator=g).float()
    return TensorDataset(bits, bits[:, :3].sum(1).long() % 2)


def checkpoint(run, model, optimizer, epoch):
    model_state, optimizer_state = get_state_dict(model, optimizer)
    dcp.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id=str(run / f"epoch{epoch}"))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    torch.manual_seed(0)
    model = MLP().cuda()
    for layer in model.hidden:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    data = parity()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    run = new_run(os.environ.get("RUNS", "/shared/runs"))
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        checkpoint(run, model, optimizer, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
