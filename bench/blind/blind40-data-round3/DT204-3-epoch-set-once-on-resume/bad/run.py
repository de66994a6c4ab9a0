import os
import pathlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

FOLDER = pathlib.Path("runs/forecast")


class Run:
    def __init__(self):
        cuda = torch.cuda.is_available()
        self.local = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(self.local)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", self.local) if cuda else torch.device("cpu")
        torch.manual_seed(8)
        net = nn.Sequential(nn.Linear(24, 48), nn.Tanh(), nn.Linear(48, 1)).to(self.device)
        self.model = DistributedDataParallel(net, device_ids=[self.local] if cuda else None)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        gen = torch.Generator().manual_seed(2)
        x = torch.randn(3000, 24, generator=gen).cumsum(1)
        self.sampler = DistributedSampler(TensorDataset(x), shuffle=True, drop_last=True)
        self.loader = DataLoader(self.sampler.dataset, batch_size=50, sampler=self.sampler, drop_last=True)
        self.first = 0

    def resume(self):
        path = FOLDER / "last.pt"
        if path.exists():
            state = torch.load(path, map_location=self.device)
            self.model.module.load_state_dict(state["model"])
            self.opt.load_state_dict(state["opt"])
            self.first = state["epoch"] + 1

    def save(self, epoch):
        if dist.get_rank() == 0:
            FOLDER.mkdir(parents=True, exist_ok=True)
            state = {"model": self.model.module.state_dict(), "opt": self.opt.state_dict(), "epoch": epoch}
            torch.save(state, FOLDER / "last.pt")
        dist.barrier()

    def train(self, epochs):
        self.resume()
        self.sampler.set_epoch(self.first)
        for epoch in range(self.first, epochs):
            for (x,) in self.loader:
                x = x.to(self.device)
                loss = F.l1_loss(self.model(x[:, :24].roll(1, dims=1)), x[:, -1:])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            self.save(epoch)


if __name__ == "__main__":
    run = Run()
    run.train(epochs=12)
    dist.destroy_process_group()
