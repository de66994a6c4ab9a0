import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Noisy(Dataset):
    def __init__(self, rows, sigma, rng):
        self.rows, self.sigma, self.rng = rows, sigma, rng

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return row + self.sigma * torch.randn(row.shape, generator=self.rng), row


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rng = torch.Generator().manual_seed(97 * 1000 + dist.get_rank())
    rows = torch.randn(512, 10, generator=torch.Generator().manual_seed(0))
    data = Noisy(rows, 0.2, rng)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(10, 10).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(noisy.to(device)), clean.to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
