"""Ranking model; both loaders have a sampler of their own and the loop lives in a class."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def queries(rows, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 8, 20, generator=g)
    return TensorDataset(x, x[..., 0].argmax(dim=1))


class Data:
    def __init__(self, batch_size):
        train, test = queries(4000, 0), queries(800, 1)
        self.train_sampler = DistributedSampler(train, shuffle=True, seed=3, drop_last=True)
        self.test_sampler = DistributedSampler(test, shuffle=False)
        self.train = DataLoader(train, batch_size, sampler=self.train_sampler, drop_last=True)
        self.test = DataLoader(test, batch_size, sampler=self.test_sampler)


class Ranker(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.score(x).squeeze(-1)


class Loop:
    def __init__(self, model, data, device):
        self.model, self.data, self.device = model, data, device
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train(self):
        self.model.train()
        for x, best in self.data.train:
            loss = nn.functional.cross_entropy(self.model(x.to(self.device)), best.to(self.device))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def test(self):
        self.model.eval()
        hits = torch.zeros(2, device=self.device)
        for x, best in self.data.test:
            hits[0] += (self.model(x.to(self.device)).argmax(dim=1) == best.to(self.device)).sum()
            hits[1] += len(best)
        dist.all_reduce(hits)
        return (hits[0] / hits[1]).item()

    def run(self, epochs):
        for epoch in range(epochs):
            self.data.train_sampler.set_epoch(epoch)
            self.train()
            first = self.test()
            if dist.get_rank() == 0:
                print(f"epoch {epoch}: hit@1 {first:.3f}", flush=True)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(Ranker().to(device), device_ids=[local] if cuda else None)
    Loop(model, Data(batch_size=50), device).run(epochs=8)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "ranker.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
