import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Digits(Dataset):
    def __init__(self, n):
        gen = torch.Generator().manual_seed(n)
        self.x = torch.rand(n, 64, generator=gen)
        self.y = torch.randint(0, 10, (n,), generator=gen)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def accuracy(model, loader, device):
    sums = torch.zeros(2, device=device)
    with torch.no_grad():
        for x, y in loader:
            hit = model(x.to(device)).argmax(1) == y.to(device)
            sums += torch.stack([hit.sum().float(), torch.tensor(float(len(y)), device=device)])
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    device = torch.device("cuda", local_rank) if gpu else torch.device("cpu")
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    model.load_state_dict(torch.load("digits.pt", map_location="cpu"))
    model.to(device).eval()
    data = Digits(5000)
    loader = DataLoader(data, batch_size=64, sampler=DistributedSampler(data, shuffle=False))
    result = accuracy(model, loader, device)
    if dist.get_rank() == 0:
        print(f"validation accuracy: {result:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
