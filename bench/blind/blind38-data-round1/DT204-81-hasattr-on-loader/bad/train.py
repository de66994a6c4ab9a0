"""Keypoint detector; the loop lives in a trainer class that works with and without torchrun's sampler."""
import os
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Options:
    epochs: int = 30
    batch_size: int = 48
    lr: float = 2e-4
    points: int = 17
    seed: int = 5
    out: str = "keypoints.pt"


@contextmanager
def process_group():
    use_cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if use_cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if use_cuda else "gloo")
    try:
        yield torch.device("cuda", local) if use_cuda else torch.device("cpu")
    finally:
        dist.destroy_process_group()


def poses(points, count=4800, seed=0):
    g = torch.Generator().manual_seed(seed)
    image = torch.randn(count, 3 * 32 * 32, generator=g)
    return TensorDataset(image, torch.tanh(image[:, : points * 2]))


class Trainer:
    def __init__(self, model, loader, optimizer, device, options):
        self.model = model
        self.loader = loader
        self.optimizer = optimizer
        self.device = device
        self.options = options

    def fit(self):
        for epoch in range(self.options.epochs):
            if hasattr(self.loader, "set_epoch"):
                self.loader.set_epoch(epoch)
            mean = self.run_epoch()
            if dist.get_rank() == 0:
                print(f"epoch {epoch} loss {mean:.4f}", flush=True)

    def run_epoch(self):
        self.model.train()
        meter = torch.zeros(2, device=self.device)
        for image, target in self.loader:
            loss = self.step(image.to(self.device), target.to(self.device))
            meter += torch.stack([loss, torch.ones_like(loss)])
        dist.all_reduce(meter)
        return (meter[0] / meter[1]).item()

    def step(self, image, target):
        self.optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.smooth_l1_loss(self.model(image), target)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def main():
    options = Options()
    with process_group() as device:
        torch.manual_seed(options.seed)
        dataset = poses(options.points)
        sampler = DistributedSampler(dataset, shuffle=True, seed=options.seed, drop_last=True)
        loader = DataLoader(dataset, batch_size=options.batch_size, sampler=sampler, drop_last=True)
        net = nn.Sequential(nn.Linear(3 * 32 * 32, 256), nn.GELU(), nn.Linear(256, options.points * 2)).to(device)
        model = DistributedDataParallel(net, device_ids=[device.index] if device.type == "cuda" else None)
        optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
        Trainer(model, loader, optimizer, device, options).fit()
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), options.out)


if __name__ == "__main__":
    main()
