import argparse

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def scenes(n=512, seed=9):
    gen = torch.Generator().manual_seed(seed)
    images = torch.randn(n, 3, 16, 16, generator=gen)
    boxes = torch.rand(n, 8, 4, generator=gen)
    return TensorDataset(images, boxes)


class Proposer(nn.Module):
    def __init__(self, slots=8):
        super().__init__()
        self.slots = slots
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.box = nn.Linear(64, slots * 4)
        self.score = nn.Linear(64, slots)

    def forward(self, image):
        hidden = self.body(image)
        return self.box(hidden).view(-1, self.slots, 4), self.score(hidden).sigmoid()


@torch.no_grad()
def collect(fabric, model, loader, threshold):
    """All proposals that are sure enough, of all ranks, in rank order."""
    model.eval()
    boxes, scores = [], []
    for image, _ in loader:
        box, score = model(image)
        boxes.append(box.flatten(0, 1))
        scores.append(score.flatten())
    box, score = torch.cat(boxes), torch.cat(scores)
    sure = score > threshold
    every = fabric.all_gather(torch.cat([box[sure], score[sure].unsqueeze(1)], dim=1))
    model.train()
    return every.flatten(0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threshold", type=float, default=0.6)
    args = parser.parse_args()
    fabric = L.Fabric(accelerator="auto", devices=args.devices, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(21)
    model = Proposer()
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    model, opt = fabric.setup(model, opt)
    train = fabric.setup_dataloaders(DataLoader(scenes(), batch_size=32, shuffle=True, drop_last=True))
    valid = fabric.setup_dataloaders(DataLoader(scenes(128, seed=10), batch_size=32))
    for epoch in range(args.epochs):
        for image, target in train:
            opt.zero_grad()
            box, score = model(image)
            fabric.backward(F.l1_loss(box, target) + (score - 0.5).square().mean())
            opt.step()
        kept = collect(fabric, model, valid, args.threshold)
        fabric.print(f"epoch {epoch}: {len(kept)} proposals")
    fabric.save("proposer.ckpt", {"model": model})


if __name__ == "__main__":
    main()
