import os
import tarfile
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import efficientnet_b0
from torchvision.transforms import v2

ARCHIVE = Path("/shared/archives/food101.tar")
SCRATCH = Path("/local_scratch") / os.environ.get("SLURM_JOB_ID", "interactive")


def unpack():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(SCRATCH, filter="data")


def folder(split, train):
    steps = [v2.RandomResizedCrop(224), v2.RandomHorizontalFlip()] if train else [v2.Resize(256), v2.CenterCrop(224)]
    return ImageFolder(SCRATCH / split, v2.Compose([*steps, v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]))


def validate(fabric, model, loader):
    model.eval()
    tally = torch.zeros(2, device=fabric.device)
    with torch.no_grad():
        for x, y in loader:
            tally[0] += (model(x).argmax(1) == y).sum()
            tally[1] += y.numel()
    model.train()
    tally = fabric.all_reduce(tally, reduce_op="sum")
    return (tally[0] / tally[1]).item()


def main():
    fabric = L.Fabric(accelerator="cuda", devices=4, num_nodes=2, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    fabric.seed_everything(5, workers=True)
    if fabric.local_rank == 0:
        unpack()
    fabric.barrier()
    net = efficientnet_b0(num_classes=101)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(net, optimizer)
    train = DataLoader(folder("train", True), batch_size=64, shuffle=True, num_workers=8, drop_last=True)
    val = DataLoader(folder("test", False), batch_size=64, num_workers=8)
    train, val = fabric.setup_dataloaders(train, val)
    for epoch in range(30):
        for x, y in train:
            optimizer.zero_grad()
            fabric.backward(F.cross_entropy(model(x), y, label_smoothing=0.1))
            optimizer.step()
        fabric.print(f"epoch {epoch}: {validate(fabric, model, val):.4f}")
        fabric.save(f"/shared/runs/food/epoch{epoch}.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    main()
