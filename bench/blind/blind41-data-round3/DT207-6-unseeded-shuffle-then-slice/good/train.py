import itertools

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

from files import own_files


class Frames(Dataset):
    def __init__(self, paths, per_file):
        self.paths, self.per_file = paths, per_file

    def __len__(self):
        return len(self.paths) * self.per_file

    def __getitem__(self, i):
        rows = np.load(self.paths[i // self.per_file], mmap_mode="r")
        return torch.from_numpy(np.array(rows[i % self.per_file]))


def main(folder="frames", steps=3000):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = Frames(own_files(folder, dist.get_rank(), dist.get_world_size()), 100)
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True, num_workers=2)
    model = DDP(nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 64)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for x in itertools.islice(loader, steps):
        optimizer.zero_grad()
        F.mse_loss(model(x), x).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
