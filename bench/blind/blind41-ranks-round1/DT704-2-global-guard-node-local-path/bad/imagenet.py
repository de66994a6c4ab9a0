import os
import tarfile

import torch
import torch.nn as nn
from lightning.fabric import Fabric
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder

ARCHIVE = "/shared/imagenet-mini.tar"
LOCAL = "/tmp/imagenet-mini"


def unpack(fabric):
    if fabric.global_rank == 0 and not os.path.isdir(LOCAL):
        with tarfile.open(ARCHIVE) as tar:
            tar.extractall(LOCAL)
    fabric.barrier()


def main():
    fabric = Fabric(accelerator="cuda", devices=8, num_nodes=2, strategy="ddp", precision="16-mixed")
    fabric.launch()
    fabric.seed_everything(1)
    unpack(fabric)
    crop = transforms.Compose([transforms.RandomResizedCrop(160), transforms.ToTensor()])
    train = ImageFolder(os.path.join(LOCAL, "train"), crop)
    loader = fabric.setup_dataloaders(DataLoader(train, batch_size=64, shuffle=True, num_workers=8, drop_last=True))
    net = nn.Sequential(nn.Conv2d(3, 32, 7, stride=4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 100))
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    for epoch in range(2):
        for pixels, labels in loader:
            loss = nn.functional.cross_entropy(model(pixels), labels)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
    fabric.save("mini.ckpt", {"model": model})


if __name__ == "__main__":
    main()
