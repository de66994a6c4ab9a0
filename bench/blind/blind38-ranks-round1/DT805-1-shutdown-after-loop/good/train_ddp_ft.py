import os
from datetime import timedelta
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchft as ft
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, root, replica, replicas):
        self.files = sorted(Path(root).glob("*.pt"))
        self.files = self.files[: len(self.files) // replicas * replicas][replica::replicas]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        item = torch.load(self.files[i], map_location="cpu")
        if item["flux"].isnan().any():
            raise ValueError(f"{self.files[i]} holds NaN")
        return item["flux"], item["kind"]


class Job:
    def __init__(self, root):
        self.replica = int(os.environ["REPLICA_GROUP_ID"])
        self.replicas = int(os.environ["NUM_REPLICA_GROUPS"])
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(400, 128), nn.ReLU(), nn.Linear(128, 5))
        self.inner = torch.optim.SGD(self.net.parameters(), lr=0.01, momentum=0.9)
        self.manager = ft.Manager(
            pg=ft.ProcessGroupGloo(timeout=timedelta(seconds=10)),
            min_replica_size=max(1, self.replicas // 2),
            load_state_dict=self.load_state_dict,
            state_dict=self.state_dict,
            replica_id=f"spectra_{self.replica}",
        )
        self.ddp = ft.DistributedDataParallel(self.manager, self.net)
        self.opt = ft.Optimizer(self.manager, self.inner)
        data = Spectra(root, self.replica, self.replicas)
        self.loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)

    def state_dict(self):
        return {"net": self.net.state_dict(), "opt": self.inner.state_dict()}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.inner.load_state_dict(state["opt"])

    def epoch(self):
        for flux, kind in self.loader:
            self.opt.zero_grad()
            F.cross_entropy(self.ddp(flux), kind).backward()
            self.opt.step()

    def run(self, steps):
        while self.manager.current_step() < steps:
            self.epoch()
        torch.save(self.net.state_dict(), f"spectra_{self.replica}.pt")


def main():
    job = Job(os.environ.get("SPECTRA", "spectra"))
    try:
        job.run(steps=5000)
    finally:
        job.manager.shutdown()


if __name__ == "__main__":
    main()
