"""Detector trunk with an optional mask head; some batches have boxes only."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Scenes(Dataset):
    def __init__(self, root):
        self.files = sorted(os.path.join(root, n) for n in os.listdir(root) if n.endswith(".pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        scene = torch.load(self.files[i], map_location="cpu")
        return scene["image"], scene["boxes"], scene.get("mask")


def collate(scenes):
    images, boxes, masks = zip(*scenes)
    masks = None if any(m is None for m in masks) else torch.stack(masks)
    return torch.stack(images), torch.stack(boxes), masks


class Detector(nn.Module):
    def __init__(self, width=64, queries=20):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, width, 7, 4, 3), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU())
        self.box_head = nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(16 * width, 4 * queries))
        self.mask_head = nn.ConvTranspose2d(width, 1, 8, 8)

    def forward(self, images, boxes, masks=None):
        features = self.trunk(images)
        loss = nn.functional.l1_loss(self.box_head(features), boxes.flatten(1))
        if masks is not None:
            loss = loss + nn.functional.binary_cross_entropy_with_logits(self.mask_head(features)[:, 0], masks)
        return loss


def main(epochs=12):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    scenes = Scenes("/data/scenes")
    sampler = DistributedSampler(scenes, drop_last=True)
    loader = DataLoader(scenes, 8, sampler=sampler, num_workers=6, collate_fn=collate, drop_last=True)
    model = DDP(Detector().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, boxes, masks in loader:
            masks = masks.cuda() if masks is not None else None
            loss = model(images.cuda(), boxes.cuda(), masks)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "detector.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
