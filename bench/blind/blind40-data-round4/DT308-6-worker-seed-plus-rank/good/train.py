import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from seeding import init_fn


class Noisy(Dataset):
    def __len__(self):
        return 3000

    def __getitem__(self, i):
        clean = np.sin(np.linspace(0, 1 + i / 500, 40))
        return torch.from_numpy(clean + 0.1 * np.random.randn(40)).float(), torch.from_numpy(clean).float()


def main(epochs=2, workers=4):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(40, 40).to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = Noisy()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=50,
        sampler=sampler,
        drop_last=True,
        num_workers=workers,
        worker_init_fn=init_fn(1234, dist.get_rank(), workers),
    )
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            opt.zero_grad()
            F.mse_loss(model(noisy.to(device)), clean.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
