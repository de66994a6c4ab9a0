"""Detection-style: variable boxes, loss normalised by the mean number of boxes over ranks (clamped), aspect-ratio batches."""
import os

import torch
import torch.distributed as dist
import torchvision
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Boxes(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = int(torch.randint(1, 9, (), generator=g))
        return torch.rand(3, 64, 64, generator=g), torch.rand(n, 4, generator=g)


def collate(rows):
    images, boxes = zip(*rows)
    return torch.stack(images), list(boxes)


def mean_count(n, device):
    count = torch.as_tensor(n, dtype=torch.float, device=device)
    dist.all_reduce(count)
    return torch.clamp(count / dist.get_world_size(), min=1).item()


class Head(nn.Module):
    def __init__(self, queries=8):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 32, 4, 4), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.boxes = nn.Linear(32, queries * 4)
        self.scores = nn.Linear(32, queries)

    def forward(self, x):
        h = self.backbone(x)
        return self.boxes(h).sigmoid().view(len(x), -1, 4), self.scores(h)


def criterion(boxes, scores, targets):
    n = mean_count(sum(len(t) for t in targets), boxes.device)
    reg = sum((b[: len(t)] - t).abs().sum() for b, t in zip(boxes, targets))
    wanted = torch.zeros_like(scores)
    for row, t in zip(wanted, targets):
        row[: len(t)] = 1
    return reg / n + nn.functional.binary_cross_entropy_with_logits(scores, wanted)


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    model = nn.SyncBatchNorm.convert_sync_batchnorm(Head().cuda())
    model = DDP(model, device_ids=[local])
    data = Boxes()
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 16, sampler=sampler, collate_fn=collate, num_workers=2)
    groups = [
        {"params": [p for n, p in model.named_parameters() if "backbone" in n], "lr": 1e-5},
        {"params": [p for n, p in model.named_parameters() if "backbone" not in n]},
    ]
    optimizer = torch.optim.AdamW(groups, 1e-4)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for images, targets in loader:
            loss = criterion(*model(images.cuda()), [t.cuda() for t in targets])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"boxes{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
