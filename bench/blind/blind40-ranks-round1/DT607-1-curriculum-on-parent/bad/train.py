import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from curriculum import Sums


class Trainer:
    def __init__(self, device, workers=2, batch=16):
        self.device = device
        self.dataset = Sums()
        self.sampler = DistributedSampler(self.dataset, drop_last=True)
        self.loader = DataLoader(
            self.dataset,
            batch_size=batch,
            sampler=self.sampler,
            num_workers=workers,
            persistent_workers=True,
            drop_last=True,
        )
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(Sums.LENGTH, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
        self.model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def one_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        total = torch.zeros(2, device=self.device)
        for x, y in self.loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = nn.functional.mse_loss(self.model(x).squeeze(1), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += torch.stack([loss.detach() * len(x), torch.tensor(float(len(x)), device=self.device)])
        dist.all_reduce(total)
        return (total[0] / total[1]).item()

    def fit(self, epochs=6, target=5.0):
        for epoch in range(epochs):
            loss = self.one_epoch(epoch)
            if loss < target:
                self.dataset.harder()
            if dist.get_rank() == 0:
                print(f"epoch {epoch} level {self.dataset.level} loss {loss:.3f}")


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    Trainer(torch.device("cuda", local) if cuda else torch.device("cpu")).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
