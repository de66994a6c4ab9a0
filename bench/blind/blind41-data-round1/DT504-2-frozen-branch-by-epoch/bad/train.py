import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoStage(nn.Module):
    def __init__(self, warmup):
        super().__init__()
        self.warmup = warmup
        self.register_buffer("epoch", torch.zeros((), dtype=torch.long))
        self.base = nn.Linear(12, 24)
        self.refine = nn.Linear(24, 24)
        self.head = nn.Linear(24, 3)

    def forward(self, x):
        h = torch.relu(self.base(x))
        if int(self.epoch) >= self.warmup:
            h = h + torch.relu(self.refine(h))
        return self.head(h)


def main(epochs=4):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(3000, 12)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    model = DDP(TwoStage(warmup=2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.module.epoch.fill_(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(xb), yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
