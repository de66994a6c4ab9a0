import argparse

import horovod.torch as hvd
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def regression(n=1024, seed=1):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 10, generator=gen)
    return TensorDataset(x, x.sin().sum(dim=1, keepdim=True))


class Hook:
    def epoch_end(self, loop, epoch):
        pass


class Validate(Hook):
    def __init__(self, loader, history="history.tsv"):
        self.loader = loader
        self.history = history
        self.best = float("inf")

    @torch.no_grad()
    def local_error(self, net):
        net.eval()
        parts = [F.mse_loss(net(x), y) for x, y in self.loader]
        net.train()
        return torch.stack(parts).mean()

    def epoch_end(self, loop, epoch):
        error = self.local_error(loop.net)
        error = hvd.allreduce(error, name="val_error").item()
        if hvd.rank() != 0:
            return
        self.best = min(self.best, error)
        if hvd.rank() == 0:
            with open(self.history, "a") as out:
                out.write(f"{epoch}\t{error:.5f}\t{self.best:.5f}\n")


class Loop:
    def __init__(self, net, opt, loader, sampler, hooks):
        self.net, self.opt, self.loader, self.sampler, self.hooks = net, opt, loader, sampler, hooks

    def run(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for x, y in self.loader:
                self.opt.zero_grad()
                F.mse_loss(self.net(x), y).backward()
                self.opt.step()
            for hook in self.hooks:
                hook.epoch_end(self, epoch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()
    hvd.init()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
    opt = torch.optim.SGD(net.parameters(), lr=args.lr)
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(opt, root_rank=0)
    opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
    train, valid = regression(), regression(256, seed=2)
    sampler = DistributedSampler(train, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, drop_last=True)
    vsampler = DistributedSampler(valid, num_replicas=hvd.size(), rank=hvd.rank(), shuffle=False)
    hooks = [Validate(DataLoader(valid, batch_size=64, sampler=vsampler))]
    Loop(net, opt, loader, sampler, hooks).run(args.epochs)
    if hvd.rank() == 0:
        torch.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    main()
