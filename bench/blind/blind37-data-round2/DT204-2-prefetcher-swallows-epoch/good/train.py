import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import CIFAR100
from torchvision.models import resnet18
from torchvision.transforms import Compose, RandomCrop, RandomHorizontalFlip, ToTensor

from prefetch import CudaPrefetcher


def build_loader(root, batch_size, device):
    transform = Compose([RandomCrop(32, padding=4), RandomHorizontalFlip(), ToTensor()])
    data = CIFAR100(root, train=True, transform=transform)
    sampler = DistributedSampler(data, seed=2, drop_last=True)
    loader = DataLoader(data, batch_size=batch_size, sampler=sampler, num_workers=6, pin_memory=True, drop_last=True)
    return CudaPrefetcher(loader, device)


def train_one_epoch(model, loader, optimizer, epoch):
    loader.set_epoch(epoch)
    model.train()
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(2)
    loader = build_loader("/data", 128, device)
    model = DistributedDataParallel(resnet18(num_classes=100).to(device), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [60, 120, 160], gamma=0.2)
    for epoch in range(200):
        train_one_epoch(model, loader, optimizer, epoch)
        schedule.step()
        if dist.get_rank() == 0 and epoch % 10 == 9:
            torch.save(model.module.state_dict(), f"resnet18-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
