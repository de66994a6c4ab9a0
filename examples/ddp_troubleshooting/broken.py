import os
import random
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from images import SIDE, Corners

EPOCHS = 4
BATCH_SIZE = 32
ACCUMULATION_STEPS = 4


class Net(nn.Module):
    def __init__(self, use_extra_layer=False):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.extra = nn.Conv2d(32, 32, 3, padding=1) if use_extra_layer else nn.Identity()
        self.deep = nn.Conv2d(32, 32, 3, padding=1)
        self.head = nn.Linear(32 * SIDE * SIDE // 4, 5)

    def forward(self, x):
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        x = self.extra(x)
        if random.random() < 0.5:
            x = x + torch.relu(self.deep(x))
        return self.head(x.flatten(1))


def save_checkpoint(model, optimizer, epoch):
    torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "last.pt")


def train_epoch(model, optimizer, scaler, loader, device):
    criterion = nn.CrossEntropyLoss()
    last_sync = time.time()
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        try:
            with autocast(enabled=device.type == "cuda"):
                loss = criterion(model(x.to(device)), y.to(device))
            scaler.scale(loss).backward()
        except RuntimeError as e:
            if "out of memory" not in str(e):
                raise
            torch.cuda.empty_cache()
            half = len(x) // 2
            loss = criterion(model(x[:half].to(device)), y[:half].to(device))
            scaler.scale(loss).backward()
        if (i + 1) % ACCUMULATION_STEPS == 0:
            scaler.step(optimizer)
            scaler.update()
        if time.time() - last_sync > 5:
            dist.barrier()
            last_sync = time.time()
    return loss.item()


def main():
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")

    dataset = Corners(1280)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=BATCH_SIZE, sampler=sampler, pin_memory=False, prefetch_factor=1)
    if rank == 0:
        model = Net(use_extra_layer=True)
    else:
        model = Net()
    model = DDP(model.to(device))
    os.environ["NCCL_SOCKET_IFNAME"] = "eth0"
    os.environ["NCCL_TREE_THRESHOLD"] = "0"
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = GradScaler(enabled=device.type == "cuda")

    for epoch in range(EPOCHS):
        try:
            loss = train_epoch(model, optimizer, scaler, loader, device)
        except RuntimeError as e:
            if "out of memory" in str(e):
                torch.cuda.empty_cache()
                continue
            elif "reduction" in str(e):
                dist.barrier()
                continue
            raise
        if rank == 0:
            save_checkpoint(model, optimizer, epoch)
            print(f"epoch {epoch} loss {loss:.4f}")
            dist.barrier()
        state = torch.load("last.pt")
        model.module.load_state_dict(state["model"])


if __name__ == "__main__":
    main()
