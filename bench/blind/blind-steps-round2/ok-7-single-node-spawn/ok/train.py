import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def worker(rank, world, port):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(port)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)
    torch.manual_seed(0)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(9, 9), nn.BatchNorm1d(9), nn.Linear(9, 1))).to(rank)
    opt = torch.optim.Adam(net.parameters())
    model = DistributedDataParallel(net, device_ids=[rank])
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(900, 9, generator=g), torch.randn(900, 1, generator=g))
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, num_workers=2, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x.to(rank)), y.to(rank)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    world = torch.cuda.device_count()
    mp.spawn(worker, args=(world, 29555), nprocs=world, join=True)
