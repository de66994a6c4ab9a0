import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

CLASSES = 12


class LongTail(Dataset):
    def __init__(self, n=960, seed=77):
        g = torch.Generator().manual_seed(seed)
        self.features = torch.randn(n, 18, generator=g)
        tail = torch.tensor([2.0**-k for k in range(CLASSES)])
        self.labels = torch.multinomial(tail, n, replacement=True, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.features[i], self.labels[i]


def class_frequencies(loader, device):
    """How often each class occurs in one epoch of all ranks."""
    seen = torch.cat([labels for _, labels in loader])
    counts = torch.bincount(seen).to(device)
    dist.all_reduce(counts)
    return counts.float() / counts.sum()


def adjusted_loss(logits, labels, frequencies):
    prior = torch.full((CLASSES,), 1e-6, device=logits.device)
    prior[: len(frequencies)] += frequencies
    return F.cross_entropy(logits + prior.log(), labels)


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def main():
    device = setup()
    torch.manual_seed(10)
    net = nn.Sequential(nn.Linear(18, 64), nn.ReLU(), nn.Linear(64, CLASSES)).to(device)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    data = LongTail()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        frequencies = class_frequencies(loader, device)
        for x, y in loader:
            loss = adjusted_loss(model(x.to(device)), y.to(device), frequencies)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
