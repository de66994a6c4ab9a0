import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from transforms import Chain, RandomCutout


class Tiles(Dataset):
    def __init__(self, path, transform):
        blob = torch.load(path, map_location="cpu", mmap=True)
        self.images, self.labels = blob["images"], blob["labels"]
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index].float().div(255.0)
        return self.transform(image), self.labels[index]


def small_cnn(classes):
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tiles", default="tiles.pt")
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()

    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(args.seed)
    dataset = Tiles(args.tiles, Chain(RandomCutout(16, seed=args.seed + rank)))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=args.workers, pin_memory=True, drop_last=True)
    model = DistributedDataParallel(small_cnn(10).cuda(local), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.cuda(local, non_blocking=True)), labels.cuda(local, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save({"epoch": epoch, "model": model.module.state_dict()}, "tiles_last.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
