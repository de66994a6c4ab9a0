import os
from collections import Counter

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Sampler, WeightedRandomSampler
from torchvision.datasets import ImageFolder
from torchvision.models import convnext_tiny
from torchvision.transforms import v2


class BalancedShare(Sampler):
    """This rank's part of one weighted draw that all ranks make alike."""

    def __init__(self, weights, rank, world, seed=0):
        self.weights, self.rank, self.world, self.seed, self.epoch = weights, rank, world, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.weights) // self.world

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        draw = torch.multinomial(self.weights, len(self) * self.world, replacement=True, generator=g)
        return iter(draw[self.rank :: self.world].tolist())


def class_weights(folder):
    counts = Counter(folder.targets)
    return torch.tensor([1.0 / counts[t] for t in folder.targets], dtype=torch.double)


def training_data(root):
    return ImageFolder(
        root, v2.Compose([v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    )


@torch.no_grad()
def recall(model, loader, classes, device):
    model.eval()
    hit, seen = torch.zeros(classes, device=device), torch.zeros(classes, device=device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        right = model(x).argmax(1) == y
        hit.index_add_(0, y, right.float())
        seen.index_add_(0, y, torch.ones_like(right, dtype=torch.float))
    dist.all_reduce(hit)
    dist.all_reduce(seen)
    model.train()
    return (hit / seen.clamp(min=1)).mean().item()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank)
    torch.manual_seed(7)
    train = training_data("/data/herbarium/train")
    val = ImageFolder("/data/herbarium/val", v2.Compose([v2.Resize(224), v2.CenterCrop(224), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]))
    weights = class_weights(train)
    sampler = BalancedShare(weights, rank, world, seed=7)
    loader = DataLoader(train, batch_size=64, sampler=sampler, num_workers=8, pin_memory=True, drop_last=True)
    val_loader = DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False), num_workers=8)
    classes = len(train.classes)
    model = DDP(convnext_tiny(num_classes=classes).to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-4, weight_decay=0.05)
    for epoch in range(40):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        score = recall(model, val_loader, classes, device)
        if rank == 0:
            print(epoch, f"{score:.4f}")
            torch.save(model.module.state_dict(), f"herbarium-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
