"""Registries, config dict from YAML, hooks with priorities (mm-like)."""
import argparse
import bisect
import os
import os.path as osp
import pickle
import shutil
from abc import ABCMeta, abstractmethod

import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, Sampler


class Registry:
    def __init__(self, name):
        self.name, self.items = name, {}

    def register(self, name=None):
        def deco(cls):
            self.items[name or cls.__name__] = cls
            return cls

        return deco

    def build(self, cfg, **default):
        cfg = {**default, **cfg}
        return self.items[cfg.pop("type")](**cfg)


MODELS, DATASETS, HOOKS = Registry("model"), Registry("dataset"), Registry("hook")


def master_only(func):
    def inner(*args, **kwargs):
        if dist.get_rank() == 0:
            return func(*args, **kwargs)

    return inner


@DATASETS.register()
class Blobs(Dataset):
    def __init__(self, size, dim=8, test=False):
        g = torch.Generator().manual_seed(int(test))
        self.x = torch.randn(size, dim, generator=g)
        self.y = (self.x.sum(-1) > 0).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return dict(x=self.x[i], y=self.y[i], index=i)


@MODELS.register("mlp")
class MLP(nn.Module):
    def __init__(self, dim, hidden=32, classes=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, classes))

    def forward(self, x, y=None, mode="loss"):
        logits = self.net(x)
        if mode == "predict":
            return logits.argmax(-1)
        return dict(loss=nn.functional.cross_entropy(logits, y))


class EpochShuffle(Sampler):
    """Deals a permutation of (seed, epoch) over the ranks, padded to a multiple of them."""

    def __init__(self, data, seed=0, shuffle=True):
        self.data, self.seed, self.shuffle, self.epoch = data, seed, shuffle, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.each = -(-len(data) // self.world)

    def __iter__(self):
        if self.shuffle:
            g = torch.Generator()
            g.manual_seed(self.seed + self.epoch)
            order = torch.randperm(len(self.data), generator=g).tolist()
        else:
            order = list(range(len(self.data)))
        total = self.each * self.world
        order = (order * (total // len(order) + 1))[:total]
        return iter(order[self.rank : total : self.world])

    def __len__(self):
        return self.each

    def set_epoch(self, epoch):
        self.epoch = epoch


class Hook(metaclass=ABCMeta):
    priority = 50

    def before_train_epoch(self, runner): ...
    def after_train_iter(self, runner): ...
    def after_train_epoch(self, runner): ...


@HOOKS.register()
class SeedHook(Hook):
    priority = 10

    def before_train_epoch(self, runner):
        runner.train_loader.sampler.set_epoch(runner.epoch)


@HOOKS.register()
class OptimizerHook(Hook):
    def __init__(self, grad_clip=None):
        self.grad_clip = grad_clip

    def after_train_iter(self, runner):
        runner.optimizer.zero_grad()
        runner.outputs["loss"].backward()
        if self.grad_clip is not None:
            nn.utils.clip_grad_norm_(runner.model.parameters(), **self.grad_clip)
        runner.optimizer.step()


@HOOKS.register()
class CheckpointHook(Hook):
    priority = 70

    def __init__(self, interval=1, keep=3):
        self.interval, self.keep = interval, keep

    @master_only
    def after_train_epoch(self, runner):
        if (runner.epoch + 1) % self.interval:
            return
        name = osp.join(runner.work_dir, f"epoch_{runner.epoch + 1}.pth")
        torch.save(dict(state_dict=runner.model.module.state_dict(), optimizer=runner.optimizer.state_dict()), name)
        old = osp.join(runner.work_dir, f"epoch_{runner.epoch + 1 - self.keep * self.interval}.pth")
        if osp.exists(old):
            os.remove(old)


@HOOKS.register()
class EvalHook(Hook):
    priority = 80

    def __init__(self, data, interval=1):
        self.data, self.interval = DATASETS.build(data), interval
        self.loader = DataLoader(self.data, batch_size=16, sampler=EpochShuffle(self.data, shuffle=False))

    def after_train_epoch(self, runner):
        if (runner.epoch + 1) % self.interval == 0:
            results = self.collect(runner.model)
            if dist.get_rank() == 0:
                right = sum(results[i] == int(self.data.y[i]) for i in range(len(self.data)))
                print(f"epoch {runner.epoch + 1} accuracy {right / len(self.data):.3f}")
            dist.barrier()

    @torch.no_grad()
    def collect(self, model):
        model.eval()
        mine = {}
        for batch in self.loader:
            guess = model.module(batch["x"].cuda(), mode="predict").tolist()
            mine.update(zip(batch["index"].tolist(), guess))
        parts = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
        dist.gather_object(mine, parts, dst=0)
        if parts is None:
            return None
        return {k: v for part in parts for k, v in part.items()}


class Runner:
    def __init__(self, cfg):
        self.cfg, self.epoch, self.hooks = cfg, 0, []
        self.work_dir = cfg["work_dir"]
        self.model = DistributedDataParallel(MODELS.build(cfg["model"]).cuda(), device_ids=[torch.cuda.current_device()])
        self.optimizer = getattr(torch.optim, cfg["optimizer"].pop("type"))(self.model.parameters(), **cfg["optimizer"])
        data = DATASETS.build(cfg["data"])
        self.train_loader = DataLoader(data, batch_size=cfg["batch"], sampler=EpochShuffle(data, seed=cfg["seed"]))
        for hook in cfg["hooks"]:
            hook = HOOKS.build(hook)
            bisect.insort(self.hooks, hook, key=lambda h: h.priority)

    def call(self, stage):
        for hook in self.hooks:
            getattr(hook, stage)(self)

    def run(self):
        while self.epoch < self.cfg["epochs"]:
            self.call("before_train_epoch")
            self.model.train()
            for batch in self.train_loader:
                self.outputs = self.model(batch["x"].cuda(), batch["y"].cuda())
                self.call("after_train_iter")
            self.call("after_train_epoch")
            self.epoch += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group(cfg.get("backend", "nccl"))
    torch.manual_seed(cfg["seed"])
    if dist.get_rank() == 0:
        os.makedirs(cfg["work_dir"], exist_ok=True)
        shutil.copy(args.config, cfg["work_dir"])
    dist.barrier()
    Runner(cfg).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
