"""Image classifier whose forward and backward are captured in a CUDA graph."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms


@dataclass
class Settings:
    root: str = "/data/imagenet"
    batch: int = 128
    epochs: int = 30
    lr: float = 0.1
    workers: int = 8


def train_loader(cfg):
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    data = torchvision.datasets.ImageFolder(f"{cfg.root}/train", tf)
    sampler = DistributedSampler(data, shuffle=True)
    return DataLoader(data, cfg.batch, sampler=sampler, num_workers=cfg.workers, pin_memory=True, drop_last=True), sampler


class GraphedStep:
    """Records one training step; every later call copies into the recorded buffers and replays."""

    def __init__(self, model, optimizer, batch, device):
        self.images = torch.zeros(batch, 3, 224, 224, device=device)
        self.labels = torch.zeros(batch, dtype=torch.long, device=device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(11):
                optimizer.zero_grad(set_to_none=True)
                F.cross_entropy(model(self.images), self.labels).backward()
                optimizer.step()
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph):
            self.loss = F.cross_entropy(model(self.images), self.labels)
            self.loss.backward()
            optimizer.step()

    def __call__(self, images, labels):
        self.images.copy_(images, non_blocking=True)
        self.labels.copy_(labels, non_blocking=True)
        self.graph.replay()
        return self.loss


def main():
    cfg = Settings()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"
    dist.init_process_group("nccl")
    net = torchvision.models.resnet50().to(device)
    with torch.cuda.stream(torch.cuda.Stream()):
        model = DDP(net, device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
    loader, sampler = train_loader(cfg)
    step = GraphedStep(model, optimizer, cfg.batch, device)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            step(images, labels)
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), f"resnet_{epoch:03d}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
