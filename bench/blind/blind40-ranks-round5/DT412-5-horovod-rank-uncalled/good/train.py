import argparse

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Saver:
    def __init__(self, path, every):
        self.path, self.every = path, every

    def due(self, epoch):
        return epoch % self.every == 0

    def __call__(self, epoch, net):
        if self.due(epoch) and hvd.rank() == 0:
            torch.save({"epoch": epoch, "net": net.state_dict()}, self.path)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--out", default="net.pt")
    args = p.parse_args()
    hvd.init()
    torch.cuda.set_device(hvd.local_rank())
    torch.manual_seed(1)
    x = torch.randn(1280, 16, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.01 * hvd.size(), momentum=0.9)
    opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(opt, root_rank=0)
    save = Saver(args.out, every=2)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(xb.cuda()), yb.cuda()).backward()
            opt.step()
        save(epoch, net)


if __name__ == "__main__":
    main()
