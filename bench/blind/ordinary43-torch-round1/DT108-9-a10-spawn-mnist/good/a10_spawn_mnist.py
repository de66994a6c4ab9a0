"""mp.spawn on one host, functional style with partial and closures."""
import functools
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torch.utils.tensorboard import SummaryWriter
from torchvision import datasets, transforms


def setup(rank, world):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29511")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)


def make_logger(rank, folder):
    if rank != 0:
        return lambda *a, **k: None
    writer = SummaryWriter(folder)
    return writer.add_scalar


def net():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 2), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)
    )


def worker(rank, world, epochs, folder):
    setup(rank, world)
    torch.manual_seed(1234)
    tf = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.13,), (0.31,))])
    if rank == 0:
        datasets.MNIST("data", train=True, download=True)
    dist.barrier()
    train = datasets.MNIST("data", train=True, transform=tf)
    test = datasets.MNIST("data", train=False, transform=tf)
    sampler = DistributedSampler(train, num_replicas=world, rank=rank)
    loader = DataLoader(train, 64, sampler=sampler, num_workers=2, persistent_workers=True)
    model = net()
    model(torch.zeros(2, 1, 28, 28))
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model).cuda(rank)
    model = DDP(model, device_ids=[rank])
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = StepLR(optimizer, 1, gamma=0.7)
    log = make_logger(rank, folder)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        for i, (x, y) in enumerate(loader):
            x, y = x.cuda(rank), y.cuda(rank)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            if i % 50 == 0:
                log("loss/rank0", loss.item(), epoch * len(loader) + i)
        scheduler.step()
        if rank == 0:
            model.eval()
            with torch.no_grad():
                right = sum(
                    (model.module(x.cuda(rank)).argmax(1) == y.cuda(rank)).sum().item() for x, y in DataLoader(test, 512)
                )
            log("accuracy", right / len(test), epoch)
            torch.save(model.module.state_dict(), os.path.join(folder, "mnist.pt"))
        dist.barrier()
    dist.destroy_process_group()


def main():
    world = torch.cuda.device_count()
    run = functools.partial(mp.spawn, nprocs=world, join=True)
    os.makedirs("runs/mnist", exist_ok=True)
    run(worker, args=(world, 5, "runs/mnist"))


if __name__ == "__main__":
    main()
