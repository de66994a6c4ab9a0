import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from prototypes import PrototypeBank

CLASSES = 40


class Blobs(Dataset):
    def __init__(self, n=320, dim=12):
        g = torch.Generator().manual_seed(9)
        self.labels = torch.randint(0, CLASSES, (n,), generator=g)
        centres = torch.randn(CLASSES, dim, generator=g)
        self.points = centres[self.labels] + 0.3 * torch.randn(n, dim, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.points[i], self.labels[i]


class Embedder(nn.Module):
    def __init__(self, dim=12, out=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, out))
        self.classify = nn.Linear(out, CLASSES)

    def forward(self, x):
        z = F.normalize(self.trunk(x), dim=-1)
        return z, self.classify(z)


def run():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Embedder().to(device), device_ids=[local_rank] if cuda else None)
    bank = PrototypeBank(CLASSES, 16, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = Blobs()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            z, logits = model(x)
            loss = F.cross_entropy(logits, y) + 0.1 * (1 - (z * bank.centres[y]).sum(-1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bank.add(z, y)
        bank.refresh()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    run()
