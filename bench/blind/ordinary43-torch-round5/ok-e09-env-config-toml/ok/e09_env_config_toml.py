"""TOML config into nested dataclasses, strategy classes chosen by name; single, ddp, fsdp behind one interface."""
import dataclasses
import os
import tomllib
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclasses.dataclass
class Optim:
    lr: float = 1e-3
    weight_decay: float = 0.0


@dataclasses.dataclass
class Config:
    strategy: str = "ddp"
    epochs: int = 2
    global_batch: int = 64
    optim: Optim = dataclasses.field(default_factory=Optim)

    @classmethod
    def read(cls, path):
        raw = tomllib.loads(Path(path).read_text())
        return cls(**{**raw, "optim": Optim(**raw.get("optim", {}))})


class Single:
    rank, world = 0, 1

    def wrap(self, model):
        return model.cuda()

    def sampler(self, data):
        return None

    def mean(self, value):
        return value.item()

    def weights(self, model):
        return model.state_dict()

    def close(self): ...


class Ddp(Single):
    def __init__(self):
        dist.init_process_group("nccl")
        self.local = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local)
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def wrap(self, model):
        return DistributedDataParallel(model.cuda(), device_ids=[self.local])

    def sampler(self, data):
        return DistributedSampler(data)

    def mean(self, value):
        value = value.clone()
        dist.all_reduce(value, op=dist.ReduceOp.AVG)
        return value.item()

    def weights(self, model):
        return model.module.state_dict() if self.rank == 0 else {}

    def close(self):
        dist.destroy_process_group()


class Fsdp(Ddp):
    def wrap(self, model):
        model = model.cuda()
        for child in model.children():
            if sum(p.numel() for p in child.parameters()):
                fully_shard(child)
        fully_shard(model)
        return model

    def weights(self, model):
        return get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))


STRATEGIES = {"single": Single, "ddp": Ddp, "fsdp": Fsdp}


def main():
    cfg = Config.read(os.environ.get("CONFIG", "config.toml"))
    strategy = STRATEGIES[cfg.strategy]()
    torch.manual_seed(0)
    model = strategy.wrap(nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 8)))
    optimizer = torch.optim.AdamW(model.parameters(), **dataclasses.asdict(cfg.optim))
    x = torch.randn(1024, 8)
    data = TensorDataset(x, x.abs())
    sampler = strategy.sampler(data)
    loader = DataLoader(data, cfg.global_batch // strategy.world, sampler=sampler, shuffle=sampler is None, drop_last=True)
    for epoch in range(cfg.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.cuda()), b.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        mean = strategy.mean(loss.detach())
        weights = strategy.weights(model)
        if strategy.rank == 0:
            print(epoch, mean)
            torch.save(weights, f"toml{epoch}.pt")
    strategy.close()


if __name__ == "__main__":
    main()
