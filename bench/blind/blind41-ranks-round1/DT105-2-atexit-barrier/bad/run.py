import atexit
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset, DistributedSampler


def farewell():
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()


def start():
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        device = torch.device("cuda", local_rank)
    else:
        dist.init_process_group("gloo")
        device = torch.device("cpu")
    atexit.register(farewell)
    return device


def checked(batch):
    x, y = batch
    if not torch.isfinite(x).all():
        raise ValueError("the shard holds values that are not finite")
    return x, y


def main():
    device = start()
    gen = torch.Generator().manual_seed(7)
    data = TensorDataset(torch.randn(800, 10, generator=gen), torch.randn(800, 1, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(10, 1).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            x, y = checked(batch)
            loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")


if __name__ == "__main__":
    main()
