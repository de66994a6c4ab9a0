"""A DDP trainer in which every decision that changes what a rank communicates is taken by all ranks together.

`torchrun --standalone --nproc_per_node 2 fixed.py` for several ranks, `python fixed.py` for one; CPU when there is no GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from loader import SafeDataLoader, workers_per_rank
from logs import rank_logger
from memory import MemoryManager
from model import LanguageModel
from text import CountingDataset

DEFAULTS: dict[str, Any] = {
    "vocab_size": 64, "hidden_size": 48, "num_layers": 2, "num_heads": 4, "dropout": 0.1,
    "batch_size": 32, "learning_rate": 3e-3, "weight_decay": 0.01, "num_epochs": 3, "use_amp": False, "seed": 0,
    "accumulation_steps": 2,
    "dataset_size": 2048, "seq_len": 24, "num_workers": 0, "pin_memory": False,
    "log_interval": 10, "save_interval": 1, "memory_check_interval": 20, "cleanup_interval": 100,
    "max_errors_per_epoch": 5, "max_memory_gb": 16.0, "target_loss": 0.01,
    "log_dir": "logs", "checkpoint_dir": "checkpoints", "resume": False, "cpu": False, "debug": False,
    "find_unused_parameters": False,
}  # fmt: skip


class DDPTrainer:
    def __init__(self, rank: int, world_size: int, config: dict[str, Any]) -> None:
        self.config = {**DEFAULTS, **config}
        self.rank, self.world_size = rank, world_size
        self.local_rank = int(os.environ.get("LOCAL_RANK", 0))
        self.ranks_on_node = int(os.environ.get("LOCAL_WORLD_SIZE", world_size))
        use_cuda = torch.cuda.is_available() and not self.config["cpu"]
        self.device = torch.device("cuda", self.local_rank) if use_cuda else torch.device("cpu")
        self.logger = rank_logger(rank, Path(self.config["log_dir"]), self.config["debug"])
        self.memory = MemoryManager(self.device, self.config["max_memory_gb"], self.logger)
        self.checkpoint = Path(self.config["checkpoint_dir"]) / "latest.pt"
        self.stop_requested = False
        self.first_epoch = 0

    def setup(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        if self.world_size > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
        torch.manual_seed(self.config["seed"])
        config = self.config
        self.loader = SafeDataLoader(
            CountingDataset(config["dataset_size"], config["seq_len"], config["vocab_size"]),
            self.rank, self.world_size, config["batch_size"],
            workers_per_rank(config["num_workers"], self.ranks_on_node),
            config["pin_memory"] and self.device.type == "cuda", config["seed"], self.logger,
        )  # fmt: skip
        self.module = LanguageModel(
            config["vocab_size"], config["hidden_size"], config["num_layers"], config["num_heads"],
            config["dropout"], config["seq_len"],
        ).to(self.device)  # fmt: skip
        self.model: nn.Module = self.module
        if self.world_size > 1:
            self.model = DistributedDataParallel(
                self.module,
                device_ids=[self.local_rank] if self.device.type == "cuda" else None,
                find_unused_parameters=config["find_unused_parameters"],
                gradient_as_bucket_view=True,
                bucket_cap_mb=25,
            )
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=config["learning_rate"], weight_decay=config["weight_decay"]
        )
        self.scaler = torch.amp.GradScaler("cuda", enabled=config["use_amp"] and self.device.type == "cuda")
        self.criterion = nn.CrossEntropyLoss()

    def any_rank(self, here: bool) -> bool:
        """True on every rank as soon as it is true on one."""
        if self.world_size == 1:
            return here
        flag = torch.tensor([float(here)], device=self.device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item() > 0)

    def mean_over_ranks(self, value: torch.Tensor) -> float:
        total = value.detach().clone()
        if self.world_size > 1:
            dist.all_reduce(total)
        return float(total.item() / self.world_size)

    def resume(self) -> None:
        """Rank 0 looks for a checkpoint; the others take its word, whatever their own disk shows."""
        answer = [str(self.checkpoint) if self.rank == 0 and self.checkpoint.exists() else None]
        if self.world_size > 1:
            dist.broadcast_object_list(answer, src=0)
        if answer[0] is None:
            return
        state = torch.load(answer[0], map_location=self.device, weights_only=True)
        self.module.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scaler.load_state_dict(state["scaler"])
        self.first_epoch = state["epoch"] + 1
        self.logger.info("resumed after epoch %d", state["epoch"])

    def save(self, epoch: int) -> None:
        if self.rank == 0:
            self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
            partial = self.checkpoint.with_suffix(".partial")
            torch.save(
                {
                    "epoch": epoch,
                    "model": self.module.state_dict(),
                    "optimizer": self.optimizer.state_dict(),
                    "scaler": self.scaler.state_dict(),
                },
                partial,
            )
            partial.replace(self.checkpoint)
        if self.world_size > 1:
            dist.barrier()

    def loss_of(self, batch: list[torch.Tensor]) -> torch.Tensor | None:
        """The loss of this rank's batch, or None when the forward pass ran out of memory."""
        tokens, targets = (part.to(self.device, non_blocking=True) for part in batch)
        try:
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.config["use_amp"]):
                logits, stride = self.model(tokens, use_stride_loss=True)
                loss = self.criterion(logits.flatten(0, 1), targets.flatten())
                return loss + 0.1 * self.criterion(stride, tokens[:, 0] % 3)
        except torch.OutOfMemoryError:
            self.logger.warning("out of memory in the forward pass")
            return None

    def quiet_unless(self, last_of_window: bool) -> contextlib.AbstractContextManager[None]:
        """Gradients travel once per window. DDP decides that in the forward pass, which belongs inside as well."""
        return contextlib.nullcontext() if last_of_window or self.world_size == 1 else self.model.no_sync()

    def update(self) -> None:
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)

    def train_epoch(self, epoch: int) -> float:
        self.loader.set_epoch(epoch)
        self.model.train()
        config, window = self.config, self.config["accumulation_steps"]
        steps = len(self.loader) - len(self.loader) % window
        total, counted, errors = torch.zeros((), device=self.device), 0, 0
        for step, batch in enumerate(self.loader):
            if step >= steps or self.any_rank(self.stop_requested):
                break
            last_of_window = (step + 1) % window == 0
            with self.quiet_unless(last_of_window):
                loss = self.loss_of(batch)
                if self.any_rank(loss is None):
                    errors += 1
                    self.memory.release()
                    if errors > config["max_errors_per_epoch"]:
                        raise RuntimeError(f"more than {config['max_errors_per_epoch']} failed steps in epoch {epoch}")
                    loss = self.empty_loss(batch)
                else:
                    total, counted = total + loss.detach(), counted + 1
                # An error from here on is fatal, since reductions have begun.
                self.scaler.scale(loss / window).backward()
            if last_of_window:
                self.update()
            if step % config["memory_check_interval"] == 0 and self.any_rank(self.memory.over_limit()):
                self.memory.release()
            if step % config["cleanup_interval"] == config["cleanup_interval"] - 1:
                self.memory.release()
            if step % config["log_interval"] == 0:
                mean = self.mean_over_ranks(loss)
                self.logger.info("epoch %d step %d loss %.4f", epoch, step, mean)
        return self.mean_over_ranks(total / max(1, counted))

    def empty_loss(self, batch: list[torch.Tensor]) -> torch.Tensor:
        """A loss of nought over one sample, so that a skipped batch still closes its window on every rank."""
        logits, stride = self.model(batch[0][:1].to(self.device), use_stride_loss=False)
        return logits.sum() * 0.0 + stride.sum()

    def train(self) -> float:
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self.request_stop)
        self.setup()
        loss = float("nan")
        try:
            if self.config["resume"]:
                self.resume()
            for epoch in range(self.first_epoch, self.config["num_epochs"]):
                loss = self.train_epoch(epoch)
                self.logger.info("epoch %d mean loss %.4f", epoch, loss)
                stopping = self.any_rank(self.stop_requested)
                if stopping or (epoch + 1) % self.config["save_interval"] == 0:
                    self.save(epoch)
                if stopping or loss < self.config["target_loss"]:
                    break
        finally:
            if self.world_size > 1:
                dist.destroy_process_group()
        return loss

    def request_stop(self, signum: int, frame: object) -> None:
        """Only note it: a collective in a signal handler would run on this rank alone."""
        self.stop_requested = True


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, value in DEFAULTS.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=value)
        else:
            parser.add_argument(flag, type=type(value), default=value)
    config = vars(parser.parse_args())
    rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    DDPTrainer(rank, world_size, config).train()


if __name__ == "__main__":
    main()
