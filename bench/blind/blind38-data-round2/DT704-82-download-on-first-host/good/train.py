"""The archive is fetched to the disk of the node before the ranks open it."""
import os
import urllib.request
import zipfile
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, transforms

URL = "https://data.example.org/leaves.zip"
NODE_DISK = Path("/tmp/leaves")


def fetch():
    NODE_DISK.mkdir(parents=True, exist_ok=True)
    archive, _ = urllib.request.urlretrieve(URL, NODE_DISK / "leaves.zip")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(NODE_DISK)


def pictures():
    augment = transforms.Compose([transforms.RandomResizedCrop(160), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    return datasets.ImageFolder(NODE_DISK / "train", augment)


def network(classes):
    return nn.Sequential(
        nn.Conv2d(3, 48, 7, 4), nn.ReLU(), nn.Conv2d(48, 96, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, classes)
    )


def main():
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    if local == 0:
        fetch()
    dist.barrier()
    torch.manual_seed(0)
    rows = pictures()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, 64, sampler=sampler, num_workers=6, pin_memory=True, drop_last=True)
    model = DDP(network(len(rows.classes)).to(device), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)
    for epoch in range(30):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        schedule.step()
        if rank == 0:
            torch.save(model.module.state_dict(), "leaves.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
