import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, get_worker_info

from augment import CropFlip


class Patches(Dataset):
    def __init__(self, n, transform):
        base = np.random.default_rng(0)
        self.images = base.random((n, 20, 20, 3), dtype=np.float32)
        self.labels = (self.images[:, :, :, 0].mean(axis=(1, 2)) > 0.5).astype(np.int64)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.transform(self.images[i])).permute(2, 0, 1), self.labels[i]


def start_worker(_):
    info = get_worker_info()
    info.dataset.transform.reseed(info.seed)


def main(epochs=3, workers=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(10)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 2))
    model = DistributedDataParallel(net.to(device), device_ids=[local_rank] if cuda else None)
    torch.manual_seed(10 + rank)
    data = Patches(512, CropFlip(16, seed=[5, rank]))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True, num_workers=workers, worker_init_fn=start_worker)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            loss = F.cross_entropy(model(images.to(device)), labels.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
