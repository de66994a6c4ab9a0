import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class DataParallelByHand:
    def __init__(self, net, lr):
        self.net = net
        self.world = dist.get_world_size()
        for p in net.parameters():
            dist.broadcast(p.data, src=0)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr)

    def average_gradients(self):
        for p in self.net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= self.world

    def step(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.average_gradients()
        self.optimizer.step()


def spirals(n=900):
    g = torch.Generator().manual_seed(14)
    t = torch.rand(n, generator=g) * 9
    arm = torch.randint(0, 2, (n,), generator=g)
    angle = t + arm * 3.14159
    return TensorDataset(torch.stack([t * angle.cos(), t * angle.sin()], dim=1) / 9, arm)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
    parallel = DataParallelByHand(net, lr=0.1)
    data = spirals()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            parallel.step(nn.functional.cross_entropy(net(x.to(device)), y.to(device)))
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "spirals.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
