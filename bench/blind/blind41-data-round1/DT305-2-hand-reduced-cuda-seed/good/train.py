import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def seed_all(seed, rank):
    torch.manual_seed(seed + rank)


class Averager:
    """Flattens all gradients into one bucket and averages it."""

    def __init__(self, model):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.bucket = torch.zeros(sum(p.numel() for p in self.params))

    def __call__(self):
        offset = 0
        for p in self.params:
            self.bucket[offset : offset + p.numel()].copy_(p.grad.flatten())
            offset += p.numel()
        dist.all_reduce(self.bucket)
        self.bucket /= dist.get_world_size()
        offset = 0
        for p in self.params:
            p.grad.copy_(self.bucket[offset : offset + p.numel()].view_as(p))
            offset += p.numel()


def main(epochs=3, seed=123):
    dist.init_process_group("gloo")
    x = torch.randn(4000, 15, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.abs().sum(1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=True, seed=seed)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    seed_all(seed, 0)
    model = nn.Sequential(nn.Linear(15, 64), nn.Dropout(0.1), nn.ReLU(), nn.Linear(64, 1))
    seed_all(seed, dist.get_rank())
    average = Averager(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb), yb).backward()
            average()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
