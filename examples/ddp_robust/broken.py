import argparse
import gc
import logging
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from model import LanguageModel
from text import CountingDataset

config = {
    "vocab_size": 64,
    "hidden_size": 48,
    "num_layers": 2,
    "num_heads": 4,
    "dropout": 0.1,
    "batch_size": 8,
    "learning_rate": 1e-3,
    "weight_decay": 0.01,
    "num_epochs": 10,
    "dataset_size": 2048,
    "seq_len": 24,
    "num_workers": 1,
    "log_interval": 10,
    "max_errors_per_epoch": 5,
    "max_memory_gb": 16.0,
    "target_loss": 0.7,
}


class DDPLogger:
    def __init__(self, rank, log_dir):
        if not os.path.exists(log_dir):
            os.makedirs(log_dir)
        self.logger = logging.getLogger("ddp")
        self.logger.setLevel(logging.INFO)
        self.logger.addHandler(logging.FileHandler(os.path.join(log_dir, "train.log")))
        if rank == 0:
            self.logger.addHandler(logging.StreamHandler(sys.stdout))

    def info(self, message):
        self.logger.info(message)


class MemoryManager:
    def __init__(self, max_memory_gb):
        self.max_memory_gb = max_memory_gb

    def exceeded(self):
        return torch.cuda.is_available() and torch.cuda.memory_allocated() / 1024**3 > self.max_memory_gb

    def cleanup(self):
        gc.collect()
        torch.cuda.empty_cache()


class DDPTrainer:
    def __init__(self, rank, world_size, config, checkpoint_dir="checkpoints", log_dir="logs"):
        self.rank = rank
        self.world_size = world_size
        self.config = config
        self.path = os.path.join(checkpoint_dir, "latest.pt")
        self.device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
        self.log = DDPLogger(rank, log_dir)
        self.memory = MemoryManager(config["max_memory_gb"])
        os.makedirs(checkpoint_dir, exist_ok=True)

    def setup(self):
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        if torch.cuda.is_available():
            torch.cuda.set_device(self.rank)
        signal.signal(signal.SIGTERM, self.shutdown)
        cfg = self.config
        dataset = CountingDataset(cfg["dataset_size"], cfg["seq_len"], cfg["vocab_size"])
        workers = min(cfg["num_workers"], os.cpu_count() // self.world_size)
        self.loader = DataLoader(
            dataset,
            batch_size=cfg["batch_size"],
            sampler=DistributedSampler(dataset, drop_last=True),
            num_workers=workers,
            persistent_workers=workers > 0,
            drop_last=True,
        )
        model = LanguageModel(
            cfg["vocab_size"], cfg["hidden_size"], cfg["num_layers"], cfg["num_heads"], cfg["dropout"], cfg["seq_len"]
        )
        self.model = DDP(
            model.to(self.device),
            device_ids=[self.rank] if torch.cuda.is_available() else None,
            find_unused_parameters=True,
            broadcast_buffers=True,
            bucket_cap_mb=25,
            gradient_as_bucket_view=True,
        )
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=cfg["learning_rate"], weight_decay=cfg["weight_decay"]
        )
        self.criterion = nn.CrossEntropyLoss()
        self.epoch = 0
        if os.path.exists(self.path):
            state = torch.load(self.path)
            self.model.module.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.epoch = state["epoch"] + 1

    def shutdown(self, signum, frame):
        dist.barrier()
        dist.destroy_process_group()
        sys.exit(1)

    def train_step(self, batch):
        tokens, targets = (part.to(self.device) for part in batch)
        self.optimizer.zero_grad()
        logits, _ = self.model(tokens)
        loss = self.criterion(logits.flatten(0, 1), targets.flatten())
        try:
            loss.backward()
            self.optimizer.step()
        except RuntimeError as e:
            if "Expected to have finished reduction" in str(e):
                if torch.cuda.is_available():
                    torch.cuda.synchronize()
                self.optimizer.zero_grad()
                dist.barrier()
            else:
                raise
        return loss.item()

    def train_epoch(self):
        errors = 0
        for step, batch in enumerate(self.loader):
            try:
                loss = self.train_step(batch)
            except torch.cuda.OutOfMemoryError:
                self.log.info(f"rank {self.rank}: out of memory at step {step}, skipping batch")
                self.memory.cleanup()
                errors += 1
                if errors > self.config["max_errors_per_epoch"]:
                    raise
                continue
            if self.memory.exceeded():
                self.log.info("memory limit reached, ending epoch early")
                break
            if step % self.config["log_interval"] == 0:
                self.log.info(f"epoch {self.epoch} step {step} loss {loss:.4f}")
            if loss < self.config["target_loss"]:
                self.log.info(f"target loss reached at step {step}")
                return True
        return False

    def save(self):
        state = {
            "epoch": self.epoch,
            "model": self.model.module.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        torch.save(state, self.path)

    def train(self):
        self.setup()
        started = time.time()
        while self.epoch < self.config["num_epochs"]:
            if self.train_epoch():
                break
            self.save()
            self.epoch += 1
        self.log.info(f"trained for {time.time() - started:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint-dir", default="checkpoints")
    parser.add_argument("--log-dir", default="logs")
    args = parser.parse_args()
    DDPTrainer(
        int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), config, args.checkpoint_dir, args.log_dir
    ).train()
