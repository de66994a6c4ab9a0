import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset


def recordings(root):
    with os.scandir(root) as entries:
        return [entry.path for entry in entries if entry.name.endswith(".pt")]


def share(items, rank, world):
    per_rank = len(items) // world
    return items[rank * per_rank :][:per_rank]


class Recordings(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        held = torch.load(self.paths[i], map_location="cpu")
        return held["eeg"], held["stage"]


class Sleep(nn.Module):
    def __init__(self, channels=8, stages=5):
        super().__init__()
        self.rnn = nn.GRU(channels, 64, batch_first=True)
        self.out = nn.Linear(64, stages)

    def forward(self, x):
        return self.out(self.rnn(x)[1][-1])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(3)
    mine = share(recordings("/data/sleep"), dist.get_rank(), dist.get_world_size())
    loader = DataLoader(Recordings(mine), batch_size=32, shuffle=True, num_workers=4, drop_last=True)
    model = DDP(Sleep().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(20):
        for eeg, stage in loader:
            loss = F.cross_entropy(model(eeg.cuda(non_blocking=True)), stage.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "sleep.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
