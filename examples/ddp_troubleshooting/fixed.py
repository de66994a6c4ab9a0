"""The guide put to work: one trainer that avoids each of its errors instead of surviving them.

`torchrun --standalone --nproc_per_node 2 fixed.py`
"""

from __future__ import annotations

import argparse
import contextlib
import os
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from images import SIDE, Corners


class Net(nn.Module):
    """Every layer is used in every forward pass; the deep branch recomputes its activations to save memory."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(32 * SIDE * SIDE // 4, 5)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        hidden = self.stem(pictures)
        hidden = hidden + checkpoint(self.deep, hidden, use_reentrant=False)
        return self.head(hidden.flatten(1))


def any_rank(here: bool, device: torch.device) -> bool:
    flag = torch.tensor([float(here)], device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag.item() > 0)


def loss_or_none(model: nn.Module, pictures: torch.Tensor, labels: torch.Tensor) -> torch.Tensor | None:
    try:
        with torch.autocast(pictures.device.type, dtype=torch.bfloat16, enabled=pictures.is_cuda):
            return nn.functional.cross_entropy(model(pictures), labels)
    except torch.OutOfMemoryError:
        return None


def train_epoch(
    model: DistributedDataParallel, optimizer: torch.optim.Optimizer, loader: DataLoader, device: torch.device,
    accumulation: int,
) -> float:
    model.train()
    total, counted = torch.zeros((), device=device), 0
    steps = len(loader)
    for step, (pictures, labels) in enumerate(loader):
        pictures, labels = pictures.to(device), labels.to(device)
        start = step - step % accumulation
        window = min(accumulation, steps - start)
        last_of_window = step + 1 == start + window
        # The forward pass decides whether the backward pass reduces: both are inside.
        with contextlib.nullcontext() if last_of_window else model.no_sync():
            loss = loss_or_none(model, pictures, labels)
            # One rank out of memory: all ranks halve this batch, so that all make the same backward pass.
            if any_rank(loss is None, device):
                del loss
                if device.type == "cuda":
                    torch.cuda.empty_cache()
                half = len(pictures) // 2
                loss = nn.functional.cross_entropy(model(pictures[:half]), labels[:half])
            (loss / window).backward()
        if last_of_window:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        total, counted = total + loss.detach(), counted + 1
    mean = total / counted
    dist.all_reduce(mean)
    return float(mean.item() / dist.get_world_size())


def save(model: DistributedDataParallel, optimizer: torch.optim.Optimizer, epoch: int, path: Path) -> None:
    dist.barrier()
    if dist.get_rank() == 0:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, partial)
        partial.replace(path)
    dist.barrier()


def build_loader(samples: int, batch_size: int, workers: int) -> tuple[DataLoader, DistributedSampler]:
    dataset = Corners(samples)
    sampler = DistributedSampler(dataset, shuffle=True, seed=0, drop_last=True)
    share = min(workers, (os.cpu_count() or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    if share > 0:
        loader = DataLoader(
            dataset, batch_size=batch_size, sampler=sampler, drop_last=True, num_workers=share,
            multiprocessing_context="spawn", persistent_workers=True, prefetch_factor=1, timeout=60,
        )  # fmt: skip
    else:
        loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=True, num_workers=0)
    return loader, sampler


def log_memory(device: torch.device) -> str:
    if device.type != "cuda":
        return ""
    return f" memory {torch.cuda.memory_allocated(device) / 1024**2:.0f} MB"


def train(arguments: argparse.Namespace, device: torch.device) -> None:
    torch.manual_seed(0)
    loader, sampler = build_loader(arguments.samples, arguments.batch_size, arguments.workers)
    model = DistributedDataParallel(
        Net().to(device),
        device_ids=[device.index] if device.type == "cuda" else None,
        gradient_as_bucket_view=True,
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(arguments.epochs):
        sampler.set_epoch(epoch)
        loss = train_epoch(model, optimizer, loader, device, arguments.accumulation)
        save(model, optimizer, epoch, arguments.checkpoint)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {loss:.4f}{log_memory(device)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--samples", type=int, default=1280)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--accumulation", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--checkpoint", type=Path, default=Path("checkpoints/last.pt"))
    arguments = parser.parse_args()
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", timeout=timedelta(minutes=5))
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    try:
        train(arguments, device)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
