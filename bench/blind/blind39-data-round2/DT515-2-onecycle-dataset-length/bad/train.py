import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS = 8
BATCH = 64


def blobs(n=16_384, classes=6):
    gen = torch.Generator().manual_seed(71)
    y = torch.randint(0, classes, (n,), generator=gen)
    centres = torch.randn(classes, 20, generator=gen)
    return TensorDataset(centres[y] + 0.5 * torch.randn(n, 20, generator=gen), y)


def optimisation(model, dataset, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    steps_per_epoch = len(dataset) // BATCH
    schedule = OneCycleLR(optimizer, max_lr=0.2, epochs=EPOCHS, steps_per_epoch=steps_per_epoch)
    return optimizer, schedule


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 6)).to(device))
    dataset = blobs()
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=BATCH, sampler=sampler, drop_last=True)
    optimizer, schedule = optimisation(model, dataset, loader)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
            schedule.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} lr {schedule.get_last_lr()[0]:.4f}")
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "blobs.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
