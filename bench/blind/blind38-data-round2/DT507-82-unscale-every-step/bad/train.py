"""Mixed precision with a scaler and accumulation, in a trainer with small methods."""
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Slices(Dataset):
    def __init__(self, root):
        self.files = sorted(Path(root).glob("*.pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        item = torch.load(self.files[index], map_location="cpu", weights_only=True)
        return item["image"], item["grade"]


class Trainer:
    window = 4
    max_norm = 1.0

    def __init__(self, model, loader, device):
        self.model, self.loader, self.device = model, loader, device
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        self.scaler = torch.amp.GradScaler("cuda")

    def backward(self, image, grade, closing):
        self.model.require_backward_grad_sync = closing
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.cross_entropy(self.model(image), grade) / self.window
        self.scaler.scale(loss).backward()
        return loss.detach() * self.window

    def clip(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)

    def update(self):
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)

    def epoch(self, number):
        self.loader.sampler.set_epoch(number)
        self.model.train()
        usable = len(self.loader) // self.window * self.window
        for index, (image, grade) in enumerate(self.loader):
            if index == usable:
                break
            closing = (index + 1) % self.window == 0
            self.backward(image.to(self.device), grade.to(self.device), closing)
            self.clip()
            if closing:
                self.update()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(3)
    rows = Slices("/data/slices")
    loader = DataLoader(rows, 16, sampler=DistributedSampler(rows, drop_last=True), num_workers=4, drop_last=True)
    net = nn.Sequential(nn.Conv2d(1, 32, 3, 2), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 5))
    model = DDP(net.to(device), device_ids=[local])
    trainer = Trainer(model, loader, device)
    for number in range(10):
        trainer.epoch(number)
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), "slices.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
