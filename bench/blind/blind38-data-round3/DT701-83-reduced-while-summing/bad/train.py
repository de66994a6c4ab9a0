"""Perplexity over all ranks, from sums of negative log-likelihoods."""
import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Model(nn.Module):
    def __init__(self, words=200, width=48):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, x):
        return self.out(self.rnn(self.embed(x))[0])


def text(rows, seed):
    g = torch.Generator().manual_seed(seed)
    steps = torch.randint(1, 4, (rows, 33), generator=g)
    ids = steps.cumsum(dim=1) % 200
    return TensorDataset(ids[:, :-1], ids[:, 1:])


@torch.no_grad()
def perplexity(model, loader, device):
    model.eval()
    sums = torch.zeros(2, dtype=torch.float64, device=device)
    for x, y in loader:
        scores = model(x.to(device))
        sums[0] += nn.functional.cross_entropy(scores.flatten(0, 1), y.to(device).flatten(), reduction="sum")
        sums[1] += y.numel()
        dist.all_reduce(sums)
    return math.exp((sums[0] / sums[1]).item())


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    train, val = text(2000, 0), text(400, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 50, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 50, sampler=DistributedSampler(val, shuffle=False))
    model = DDP(Model().to(device), device_ids=[local] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)).flatten(0, 1), y.to(device).flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        value = perplexity(model.module, val_loader, device)
        if dist.get_rank() == 0:
            print(f"{epoch}: perplexity {value:.2f}", flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "text.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
