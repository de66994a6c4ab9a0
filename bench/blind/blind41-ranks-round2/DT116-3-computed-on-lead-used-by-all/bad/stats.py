import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Normalised(Dataset):
    def __init__(self, path, mean, std):
        self.rows = np.load(path, mmap_mode="r")
        self.mean, self.std = mean, std

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = torch.from_numpy(np.array(self.rows[i], dtype=np.float32))
        return (row[:-1] - self.mean) / self.std, row[-1:]


def measure(path):
    rows = np.load(path)
    return float(rows[:, :-1].mean()), float(rows[:, :-1].std())


def main(path="/shared/table.npy"):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    mean, std = 0.0, 1.0
    if dist.get_rank() == 0:
        mean, std = measure(path)
        print("mean", mean, "deviation", std)
    data = Normalised(path, mean, std)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.LazyLinear(1).cuda() if False else nn.Linear(30, 1).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
