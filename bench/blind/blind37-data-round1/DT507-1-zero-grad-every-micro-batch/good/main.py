import argparse

import lightning as L
import torch
from torch.utils.data import DataLoader
from torchvision import tv_tensors
from torchvision.datasets import OxfordIIITPet, wrap_dataset_for_transforms_v2
from torchvision.models.segmentation import fcn_resnet50
from torchvision.transforms import v2

from trainer import SegTrainer


class Logits(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.net = fcn_resnet50(weights=None, weights_backbone=None, num_classes=classes)

    def forward(self, image):
        return self.net(image)["out"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--out", default="runs/pets")
    args = parser.parse_args()
    fabric = L.Fabric(accelerator="cuda", devices=args.devices, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    fabric.seed_everything(17)
    model = Logits(3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    model, optimizer = fabric.setup(model, optimizer)
    transform = v2.Compose([v2.Resize((256, 256)), v2.ToDtype({tv_tensors.Image: torch.float32, "others": None}, scale=True)])
    with fabric.rank_zero_first():
        pets = OxfordIIITPet("/data/pets", target_types="segmentation", transforms=transform, download=True)
    loader = fabric.setup_dataloaders(DataLoader(pets, batch_size=4, shuffle=True, num_workers=4, drop_last=True))
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs * (len(loader) // args.accumulate))
    SegTrainer(fabric, model, optimizer, scheduler, args.accumulate, args.out).fit(loader, args.epochs)


if __name__ == "__main__":
    main()
