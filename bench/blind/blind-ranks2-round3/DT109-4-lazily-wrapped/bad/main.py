import os
import random

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from task import Task


def agreed_seed(device):
    seed = torch.tensor([random.SystemRandom().randrange(2**31)], device=device)
    dist.broadcast(seed, src=0)
    return int(seed.item())


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    task = Task(device)
    if dist.get_rank() == 0:
        print(f"{task.size()} parameters")
    seed = agreed_seed(device)
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(192, 6, generator=g), torch.randint(0, 2, (192,), generator=g))
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            task.step(x, y)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
