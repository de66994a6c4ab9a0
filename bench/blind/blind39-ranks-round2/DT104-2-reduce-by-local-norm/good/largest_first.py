import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def build(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 5)
    )


def send_largest_first(module, world):
    """Reduces the layers that change the most before those that hardly move."""
    with_grad = [p for p in module.parameters() if p.grad is not None]
    with_grad.sort(key=lambda p: p.numel(), reverse=True)
    for p in with_grad:
        dist.all_reduce(p.grad)
        p.grad /= world


class Loop:
    def __init__(self, device):
        self.device = device
        self.net = build().to(device)
        self.world = dist.get_world_size()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.criterion(self.net(x.to(self.device)), y.to(self.device))
        loss.backward()
        send_largest_first(self.net, self.world)
        self.optimizer.step()
        return loss.detach()

    def run(self, loader, epochs):
        for epoch in range(epochs):
            loader.sampler.set_epoch(epoch)
            for batch in loader:
                self.step(*batch)


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    g = torch.Generator().manual_seed(70)
    data = TensorDataset(torch.randn(480, 24, generator=g), torch.randint(0, 5, (480,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    Loop(device).run(DataLoader(data, batch_size=24, sampler=sampler, drop_last=True), epochs=2)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
