import os

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

from augment import jitter, shift


class Ecg(Dataset):
    def __init__(self, signals, labels):
        self.signals, self.labels = signals, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(jitter(shift(self.signals[i]))), int(self.labels[i])


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(dist.get_rank())
    with np.load("ecg.npz") as data:
        rows = Ecg(data["x"], data["y"])
    sampler = DistributedSampler(rows)
    loader = DataLoader(rows, batch_size=64, sampler=sampler, num_workers=4, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(500, 64), nn.ReLU(), nn.Linear(64, 5)).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
