"""Prefetcher with a CUDA stream and __iter__/__next__, async H2D; loader length used for warmup."""
import math
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, models, transforms


class Prefetcher:
    def __init__(self, loader):
        self.loader = loader
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([0.485, 0.456, 0.406], device="cuda").view(1, 3, 1, 1)

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        self.it = iter(self.loader)
        self.preload()
        return self

    def preload(self):
        try:
            self.x, self.y = next(self.it)
        except StopIteration:
            self.x = None
            return
        with torch.cuda.stream(self.stream):
            self.x = self.x.cuda(non_blocking=True).sub_(self.mean)
            self.y = self.y.cuda(non_blocking=True)

    def __next__(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        x, y = self.x, self.y
        if x is None:
            raise StopIteration
        self.preload()
        return x, y


def lr_at(step, total, base, warmup):
    if step < warmup:
        return base * (step + 1) / warmup
    return 0.5 * base * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


class Average:
    def __init__(self):
        self.sum = torch.zeros((), device="cuda")
        self.n = torch.zeros((), device="cuda")

    def add(self, value, n):
        self.sum += value.detach() * n
        self.n += n

    def reduce(self):
        both = torch.stack([self.sum, self.n])
        dist.all_reduce(both)
        return (both[0] / both[1]).item()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    world = dist.get_world_size()
    torch.backends.cudnn.benchmark = True
    net = nn.SyncBatchNorm.convert_sync_batchnorm(models.resnet50()).cuda()
    model = DDP(net, device_ids=[local], gradient_as_bucket_view=True)
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.SGD([{"params": decay, "weight_decay": 5e-5}, {"params": rest, "weight_decay": 0}], 0.1, momentum=0.9)
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    data = datasets.ImageFolder("/data/imagenet/train", tf)
    sampler = DistributedSampler(data)
    loader = Prefetcher(DataLoader(data, 64, sampler=sampler, num_workers=8, pin_memory=True, drop_last=True, persistent_workers=True))
    epochs, base = 90, 0.1 * 64 * world / 256
    total = epochs * len(loader)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        meter = Average()
        for x, y in loader:
            for group in optimizer.param_groups:
                group["lr"] = lr_at(step, total, base, 5 * len(loader))
            loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            meter.add(loss, len(x))
            step += 1
        mean = meter.reduce()
        if dist.get_rank() == 0:
            print(f"{epoch} {mean:.4f}")
            torch.save({"model": net.state_dict(), "epoch": epoch}, "imagenet.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
