import csv
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset


def users_of(path):
    with open(path, newline="") as handle:
        names = {row["user"] for row in csv.DictReader(handle)}
    return list(names)


class Sessions(Dataset):
    def __init__(self, users, root):
        self.users = users
        self.root = root

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        item = torch.load(f"{self.root}/{self.users[i]}.pt", map_location="cpu", weights_only=True)
        return item["clicks"].float(), item["bought"].float()


class Recommender(nn.Module):
    def __init__(self, items=500):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(items, 128), nn.ReLU(), nn.Linear(128, items))

    def forward(self, x):
        return self.net(x)


def main(table="/data/clicks.csv", root="/data/sessions", epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    users = users_of(table)
    share = len(users) // world
    mine = users[rank * share : (rank + 1) * share]
    loader = DataLoader(Sessions(mine, root), batch_size=16, shuffle=True, num_workers=2)
    model = DDP(Recommender().cuda(), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for clicks, bought in loader:
            opt.zero_grad(set_to_none=True)
            F.binary_cross_entropy_with_logits(model(clicks.cuda()), bought.cuda()).backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "recommender.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
