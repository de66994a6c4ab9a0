import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def configure(name, params, **options):
    kinds = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
    return kinds[name](params, **options)


class Task:
    """Everything one experiment needs, built in the order of the fields of its config."""

    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg["seed"])
        self.net = nn.Sequential(nn.Linear(32, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 8))
        self.optimizer = configure(cfg["optim"], self.net.parameters(), lr=cfg["lr"])
        self.model = self._parallel(self.net)
        self.loader, self.sampler = self._data()

    def _parallel(self, net):
        policy = functools.partial(size_based_auto_wrap_policy, min_num_params=100_000)
        return FSDP(net, auto_wrap_policy=policy, device_id=torch.cuda.current_device())

    def _data(self):
        gen = torch.Generator().manual_seed(3)
        x = torch.randn(4096, 32, generator=gen)
        data = TensorDataset(x, x[:, :8].softmax(dim=1))
        sampler = DistributedSampler(data, drop_last=True)
        return DataLoader(data, batch_size=self.cfg["batch"], sampler=sampler, drop_last=True), sampler

    def epoch(self, number):
        self.sampler.set_epoch(number)
        for x, y in self.loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            loss.backward()
            self.model.clip_grad_norm_(1.0)
            self.optimizer.step()


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    task = Task({"seed": 1, "optim": "adamw", "lr": 1e-3, "batch": 64})
    for number in range(5):
        task.epoch(number)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
