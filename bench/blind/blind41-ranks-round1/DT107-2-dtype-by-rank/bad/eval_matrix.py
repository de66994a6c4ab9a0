import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Blobs(Dataset):
    def __init__(self, n=900, classes=6):
        gen = torch.Generator().manual_seed(31)
        self.y = torch.randint(0, classes, (n,), generator=gen)
        self.x = torch.randn(n, 14, generator=gen) + self.y[:, None]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Confusion:
    def __init__(self, classes, device, main):
        dtype = torch.float64 if main else torch.float32
        self.cells = torch.zeros(classes, classes, dtype=dtype, device=device)

    def update(self, predicted, target):
        for p, t in zip(predicted, target):
            self.cells[t, p] += 1

    def reduce(self):
        dist.all_reduce(self.cells)
        return self.cells.diagonal().sum() / self.cells.sum()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend="nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    rank = dist.get_rank()
    net = nn.Linear(14, 6).to(device)
    net.load_state_dict(torch.load("blobs.pt", map_location=device))
    net.eval()
    data = Blobs()
    loader = DataLoader(data, batch_size=30, sampler=DistributedSampler(data, shuffle=False))
    confusion = Confusion(6, device, main=rank == 0)
    with torch.inference_mode():
        for x, y in loader:
            confusion.update(net(x.to(device)).argmax(-1), y.to(device))
    accuracy = confusion.reduce()
    if rank == 0:
        print(f"accuracy {accuracy.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
