import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def average(value):
    value = value.detach().clone()
    dist.all_reduce(value)
    return (value / dist.get_world_size()).item()


class Run:
    def __init__(self, rank, device, patience=3):
        self.rank, self.device = rank, device
        self.state = {"best": float("inf"), "stale": 0}
        self.patience = patience
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(11, 44), nn.SiLU(), nn.Linear(44, 1)).to(device)
        self.model = DDP(self.net, device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)

    def note(self, loss):
        if self.rank == 0 and loss < self.state["best"]:
            self.state.update(best=loss, stale=0)
            torch.save(self.net.state_dict(), "best.pt")
        else:
            self.state["stale"] += 1

    @property
    def finished(self):
        return self.state["stale"] >= self.patience

    def epoch(self, loader):
        total = torch.zeros((), device=self.device)
        for x, y in loader:
            loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total / len(loader)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    run = Run(dist.get_rank(), torch.device("cuda", local_rank) if cuda else torch.device("cpu"))
    g = torch.Generator().manual_seed(8)
    x = torch.randn(880, 11, generator=g)
    data = TensorDataset(x, x.cos().mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=22, sampler=sampler, drop_last=True)
    for epoch in range(50):
        sampler.set_epoch(epoch)
        run.note(average(run.epoch(loader)))
        if run.finished:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
