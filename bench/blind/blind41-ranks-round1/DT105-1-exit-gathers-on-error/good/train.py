import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from guard import StepScope


class Signals(Dataset):
    def __init__(self, count=512):
        gen = torch.Generator().manual_seed(21)
        self.wave = torch.randn(count, 40, generator=gen)

    def __len__(self):
        return len(self.wave)

    def __getitem__(self, i):
        return self.wave[i, :-1], self.wave[i, -1:]


def connect():
    gpu = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cpu")
    if gpu:
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl" if gpu else "gloo")
    return device


def main():
    device = connect()
    torch.manual_seed(1)
    model = DDP(nn.Sequential(nn.Linear(39, 64), nn.ReLU(), nn.Linear(64, 1)).to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Signals()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            with StepScope(step):
                loss = F.smooth_l1_loss(model(x.to(device)), y.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            step += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
