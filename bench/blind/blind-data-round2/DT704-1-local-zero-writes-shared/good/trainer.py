import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@dataclass
class Cluster:
    local_rank: int = int(os.environ.get("LOCAL_RANK", 0))
    rank: int = int(os.environ.get("RANK", 0))

    @property
    def writes(self):
        return self.rank == 0

    @cached_property
    def device(self):
        if not torch.cuda.is_available():
            return torch.device("cpu")
        torch.cuda.set_device(self.local_rank)
        return torch.device("cuda", self.local_rank)


class Trainer:
    def __init__(self, cluster, output_dir):
        self.cluster, self.output_dir = cluster, Path(output_dir)
        torch.manual_seed(0)
        self.net = nn.Linear(10, 10).to(cluster.device)
        self.model = DDP(self.net)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            loader.sampler.set_epoch(epoch)
            for (x,) in loader:
                x = x.to(self.cluster.device)
                loss = F.mse_loss(self.model(x), x)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.checkpoint(epoch)
        dist.barrier()

    def checkpoint(self, epoch):
        if not self.cluster.writes:
            return
        self.output_dir.mkdir(parents=True, exist_ok=True)
        state = {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}
        torch.save(state, self.output_dir / "checkpoint.pt")


def main():
    cluster = Cluster()
    device = cluster.device
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    data = TensorDataset(torch.randn(320, 10, generator=torch.Generator().manual_seed(0)))
    loader = DataLoader(data, 16, sampler=DistributedSampler(data))
    Trainer(cluster, os.environ.get("OUTPUT_DIR", "/shared/runs/identity")).fit(loader, epochs=2)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
