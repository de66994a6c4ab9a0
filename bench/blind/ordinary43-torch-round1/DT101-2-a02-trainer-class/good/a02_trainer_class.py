"""Trainer class with properties, hook list and decorator that restricts to the main process."""
import dataclasses
import functools
import json
import logging
import os
from pathlib import Path
from typing import Callable, Iterable

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

logger = logging.getLogger(__name__)


def is_main_process() -> bool:
    return not dist.is_initialized() or dist.get_rank() == 0


def main_process_only(fn: Callable) -> Callable:
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if is_main_process():
            return fn(*args, **kwargs)
        return None

    return wrapper


@dataclasses.dataclass
class Config:
    epochs: int = 3
    micro_batch: int = 8
    accumulation: int = 4
    lr: float = 3e-4
    save_every: int = 1
    run_dir: Path = Path("runs/a02")


class Squares(Dataset):
    def __init__(self, n: int):
        self.x = torch.arange(n, dtype=torch.float32)[:, None]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.x[i] ** 2


class Hook:
    def before_epoch(self, trainer): ...
    def after_step(self, trainer): ...
    def after_epoch(self, trainer): ...


class SamplerSeed(Hook):
    def before_epoch(self, trainer):
        trainer.loader.sampler.set_epoch(trainer.epoch)


class JsonLog(Hook):
    def __init__(self, path: Path):
        self.path = path

    @main_process_only
    def after_epoch(self, trainer):
        with self.path.open("a") as f:
            f.write(json.dumps({"epoch": trainer.epoch, "loss": trainer.mean_loss}) + "\n")


class Checkpoint(Hook):
    def __init__(self, every: int):
        self.every = every

    def after_epoch(self, trainer):
        if (trainer.epoch + 1) % self.every == 0:
            trainer.save()


class Trainer:
    def __init__(self, cfg: Config, hooks: Iterable[Hook] = ()):
        self.cfg = cfg
        self.hooks = list(hooks)
        self.local_rank = int(os.environ.get("LOCAL_RANK", 0))
        self.device = torch.device(f"cuda:{self.local_rank}")
        net = nn.Sequential(nn.Linear(1, 32), nn.GELU(), nn.Linear(32, 1)).to(self.device)
        self.model = DistributedDataParallel(net, device_ids=[self.local_rank])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        data = Squares(4096)
        self.loader = DataLoader(data, batch_size=cfg.micro_batch, sampler=DistributedSampler(data), drop_last=True)
        self.epoch = 0
        self.mean_loss = float("nan")

    @property
    def raw_model(self) -> nn.Module:
        return self.model.module

    @main_process_only
    def save(self):
        self.cfg.run_dir.mkdir(parents=True, exist_ok=True)
        torch.save(self.raw_model.state_dict(), self.cfg.run_dir / f"epoch{self.epoch}.pt")

    def call(self, name: str):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def fit(self):
        for self.epoch in range(self.cfg.epochs):
            self.call("before_epoch")
            self.run_epoch()
            self.call("after_epoch")
            dist.barrier()

    def run_epoch(self):
        total, steps = torch.zeros((), device=self.device), 0
        self.optimizer.zero_grad()
        length = len(self.loader) // self.cfg.accumulation * self.cfg.accumulation
        for i, (x, y) in enumerate(self.loader):
            if i >= length:
                break
            boundary = (i + 1) % self.cfg.accumulation == 0
            self.model.require_backward_grad_sync = boundary
            loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
            (loss / self.cfg.accumulation).backward()
            total += loss.detach()
            steps += 1
            if boundary:
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.call("after_step")
        mean = total / steps
        dist.all_reduce(mean)
        self.mean_loss = (mean / dist.get_world_size()).item()
        if is_main_process():
            logger.info("epoch %d loss %.4f", self.epoch, self.mean_loss)


def main():
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group(backend="nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(17)
    cfg = Config()
    if is_main_process():
        cfg.run_dir.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    Trainer(cfg, [SamplerSeed(), JsonLog(cfg.run_dir / "log.jsonl"), Checkpoint(cfg.save_every)]).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
