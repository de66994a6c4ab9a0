import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from crops import Crops

SEED = 2024


def make_loader(rank, batch, workers):
    data = Crops()
    sampler = DistributedSampler(data, seed=SEED, drop_last=True)
    generator = torch.Generator()
    generator.manual_seed(SEED + rank)
    return DataLoader(
        data, batch_size=batch, sampler=sampler, num_workers=workers, generator=generator, drop_last=True
    )


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(SEED + rank)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = make_loader(rank, 16, int(os.environ.get("WORKERS", "2")))
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x).squeeze(1), y).backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
