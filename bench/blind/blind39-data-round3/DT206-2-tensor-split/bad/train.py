import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, Subset


class Slides(Dataset):
    """Whole-slide bags: one file, one bag of patches, one label."""

    def __init__(self, root):
        self.paths = sorted(Path(root).glob("*.pt"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        bag = torch.load(self.paths[i], map_location="cpu", weights_only=True)
        return bag["patches"].float(), bag["label"].float()


class Attention(nn.Module):
    def __init__(self, dim=512):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, 64), nn.Tanh(), nn.Linear(64, 1))
        self.head = nn.Linear(dim, 1)

    def forward(self, bag):
        weight = self.score(bag).softmax(dim=0)
        return self.head((weight * bag).sum(dim=0)).squeeze(-1)


def own_slides(dataset, rank, world):
    everyone = torch.arange(len(dataset))
    return Subset(dataset, torch.tensor_split(everyone, world)[rank].tolist())


def main(root="/data/slides", epochs=30):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(Attention().cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(own_slides(Slides(root), rank, world), batch_size=None, shuffle=True, num_workers=4)
    for epoch in range(epochs):
        for bag, label in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.binary_cross_entropy_with_logits(model(bag.cuda()), label.cuda())
            loss.backward()
            opt.step()
        if rank == 0:
            torch.save(model.module.state_dict(), "mil.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
