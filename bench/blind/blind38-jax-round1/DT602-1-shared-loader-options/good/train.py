import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 24, generator=gen)
    return TensorDataset(x, (x[:, :3].sum(dim=1) > 0).long())


class Loaders:
    """Training reads with workers, the small validation set is read in the process itself."""

    def __init__(self, batch_size, workers):
        self.batch_size = batch_size
        self.options = {"num_workers": workers, "persistent_workers": True, "prefetch_factor": 4, "pin_memory": True}

    def train(self, data):
        sampler = DistributedSampler(data, drop_last=True)
        return DataLoader(data, self.batch_size, sampler=sampler, drop_last=True, **self.options), sampler

    def valid(self, data):
        sampler = DistributedSampler(data, shuffle=False)
        options = {"num_workers": 0, "pin_memory": True}
        return DataLoader(data, 2 * self.batch_size, sampler=sampler, **options)


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    hits = torch.zeros(2, device=device)
    for x, y in loader:
        guess = model(x.to(device)).argmax(dim=1)
        hits += torch.tensor([(guess.cpu() == y).sum(), y.numel()], device=device)
    dist.all_reduce(hits)
    model.train()
    return (hits[0] / hits[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 2)).to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    make = Loaders(32, args.workers)
    loader, sampler = make.train(toy(1024, 0))
    held_out = make.valid(toy(256, 1))
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        score = accuracy(model, held_out, device)
        if dist.get_rank() == 0:
            print(epoch, round(score, 3))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
