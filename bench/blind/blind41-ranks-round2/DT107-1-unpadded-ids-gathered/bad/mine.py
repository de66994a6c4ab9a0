import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Candidates(Dataset):
    def __init__(self, n=3000):
        gen = torch.Generator().manual_seed(0)
        self.x = torch.randn(n, 32, generator=gen)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return i, self.x[i]


def gathered(ids):
    pieces = [torch.empty_like(ids) for _ in range(dist.get_world_size())]
    dist.all_gather(pieces, ids)
    return torch.cat(pieces)


@torch.no_grad()
def hard_ones(model, loader, device, margin=0.2):
    found = []
    for ids, x in loader:
        score = model(x.to(device)).squeeze(-1).sigmoid()
        found.append(ids.to(device)[(score - 0.5).abs() < margin])
    return gathered(torch.cat(found))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Linear(32, 1).to(device).eval()
    data = Candidates()
    loader = DataLoader(data, batch_size=100, sampler=DistributedSampler(data, shuffle=False))
    ids = hard_ones(model, loader, device)
    if dist.get_rank() == 0:
        torch.save(ids.unique().cpu(), "hard.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
