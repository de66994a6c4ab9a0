import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from mining import HardExampleMiner


class Spirals(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(3)
        self.points = torch.randn(n, 2, generator=g)
        self.labels = (self.points.norm(dim=1) > 1.2).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.points[i], self.labels[i], i


def train_epoch(model, loader, optimizer, miner, device):
    for points, labels, indices in loader:
        points, labels, indices = (t.to(device) for t in (points, labels, indices))
        logits = model(points)
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        miner.observe(logits, labels, indices)
    return miner.exchange()


def main():
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)).to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = Spirals(512)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    miner = HardExampleMiner(0.7, dist.get_world_size())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        hard = train_epoch(model, loader, optimizer, miner, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {len(hard)} hard examples over all ranks")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
