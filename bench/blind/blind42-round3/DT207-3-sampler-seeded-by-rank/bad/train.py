import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset

from samplers import ShardedShuffle


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = ShardedShuffle(data, dist.get_rank(), dist.get_world_size(), seed=2)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(64, 10).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
