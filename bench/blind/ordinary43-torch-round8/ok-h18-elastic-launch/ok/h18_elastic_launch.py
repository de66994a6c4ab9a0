import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


from torch.distributed.launcher.api import LaunchConfig, elastic_launch


def work(epochs, out):
    rank, world, local = start()
    model = DDP(nn.Linear(8, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = toy()
    sampler = DistributedSampler(data)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), out)
    value = loss.detach()
    dist.all_reduce(value, op=dist.ReduceOp.AVG)
    dist.destroy_process_group()
    return value.item()


def main():
    config = LaunchConfig(min_nodes=1, max_nodes=1, nproc_per_node=4, rdzv_backend="c10d", rdzv_endpoint="localhost:0", run_id="x")
    values = elastic_launch(config, work)(3, "elastic.pt")
    print(values[0])


if __name__ == "__main__":
    main()
