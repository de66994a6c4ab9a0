import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class PlainSGD:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr

    @torch.no_grad()
    def step(self):
        for p in self.params:
            p.add_(p.grad, alpha=-self.lr)

    def clear(self):
        for p in self.params:
            p.grad = None


def average_gradients(params):
    size = dist.get_world_size()
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= size


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 1)).to(device)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    opt = PlainSGD(model.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(1000, 5, generator=gen)
    data = TensorDataset(x, x.abs().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            opt.clear()
            F.mse_loss(model(features.to(device)), target.to(device)).backward()
            average_gradients(opt.params)
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "hand.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
