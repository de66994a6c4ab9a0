import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Averager:
    def __init__(self, model):
        self.model = model
        for t in model.state_dict().values():
            dist.broadcast(t, src=0)

    def backward(self, loss):
        loss.backward()
        for p in self.model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()


def forward(model, x, y):
    try:
        loss = F.cross_entropy(model(x), y)
        bad = not bool(torch.isfinite(loss))
    except torch.cuda.OutOfMemoryError:
        loss, bad = None, True
    return loss, bad


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3)).to(device)
    averager = Averager(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(960, 16, generator=gen), torch.randint(0, 3, (960,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    skipped = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss, bad = forward(model, x.to(device), y.to(device))
            verdict = torch.tensor(int(bad), device=device)
            dist.all_reduce(verdict, op=dist.ReduceOp.MAX)
            if verdict.item():
                skipped += 1
                continue
            opt.zero_grad()
            averager.backward(loss)
            opt.step()
    if dist.get_rank() == 0:
        print("skipped", skipped)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
