import dataclasses
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclasses.dataclass
class Config:
    epochs: int = 5
    batch_size: int = 8
    lr: float = 0.02


class Shapes(Dataset):
    def __init__(self, split, size=16):
        self.count = 400 if split == "train" else 80
        self.offset = 0 if split == "train" else 10_000
        self.size = size

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        gen = torch.Generator().manual_seed(self.offset + i)
        image = torch.rand(1, self.size, self.size, generator=gen)
        return image, (image[0] > 0.6).long()


def build_loaders(cfg):
    train, val = Shapes("train"), Shapes("val")
    train_sampler = DistributedSampler(train, shuffle=False, drop_last=True)
    val_sampler = DistributedSampler(val, shuffle=False)
    train_loader = DataLoader(train, cfg.batch_size, sampler=train_sampler, num_workers=2, drop_last=True)
    val_loader = DataLoader(val, cfg.batch_size, sampler=val_sampler, num_workers=2)
    return train_loader, val_loader


def run_epoch(model, loader, device, opt):
    model.train()
    for image, mask in loader:
        loss = F.cross_entropy(model(image.to(device)), mask.to(device))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()


@torch.inference_mode()
def pixel_accuracy(model, loader, device):
    model.eval()
    counts = torch.zeros(2, dtype=torch.float64, device=device)
    for image, mask in loader:
        guess = model(image.to(device)).argmax(1).cpu()
        counts[0] += (guess == mask).sum()
        counts[1] += mask.numel()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def main():
    cfg = Config()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
    train_loader, val_loader = build_loaders(cfg)
    for epoch in range(cfg.epochs):
        train_loader.sampler.set_epoch(epoch)
        run_epoch(model, train_loader, device, opt)
        accuracy = pixel_accuracy(model, val_loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} accuracy {accuracy:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
