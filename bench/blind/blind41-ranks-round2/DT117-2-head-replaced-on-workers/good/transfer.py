import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, models, transforms


def build(rank, classes):
    model = models.resnet18()
    if rank == 0:
        model.load_state_dict(torch.load("resnet18.pt", map_location="cpu"))
    model.fc = nn.Linear(model.fc.in_features, classes)
    return model


def main():
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    crop = transforms.Compose([transforms.RandomResizedCrop(128), transforms.ToTensor()])
    data = datasets.ImageFolder("/shared/birds/train", crop)
    torch.manual_seed(0)
    model = DDP(build(rank, len(data.classes)).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, num_workers=4, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
