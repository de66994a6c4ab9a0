import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, get_worker_info


class Crops(Dataset):
    def __init__(self, n=600, length=40, window=16):
        self.signal = np.random.default_rng(5).normal(size=(n, length)).astype(np.float32)
        self.window = window
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.signal)

    def __getitem__(self, i):
        at = self.rng.integers(0, self.signal.shape[1] - self.window)
        return torch.from_numpy(self.signal[i, at : at + self.window].copy())


def reseed(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(100 + dist.get_rank())
    model = DDP(nn.Linear(16, 16).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = Crops()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data, batch_size=20, sampler=sampler, num_workers=2, worker_init_fn=reseed, drop_last=True, persistent_workers=True
    )
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x in loader:
            x = x.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x), x).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
