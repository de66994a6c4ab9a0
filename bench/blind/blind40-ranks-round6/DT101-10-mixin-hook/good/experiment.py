import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from base import Experiment


class Denoise(Experiment):
    epochs = 4

    def __init__(self, device, device_ids):
        self.device = device
        torch.manual_seed(0)
        self.model = DDP(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16)).to(device), device_ids=device_ids)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        clean = torch.randn(960, 16, generator=torch.Generator().manual_seed(1)).cumsum(1)
        self.sampler = DistributedSampler(data := TensorDataset(clean), drop_last=True)
        self.loader = DataLoader(data, batch_size=32, sampler=self.sampler, drop_last=True)
        self.noise = torch.Generator().manual_seed(500 + self.rank)

    def train_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        for (clean,) in self.loader:
            noisy = clean + 0.3 * torch.randn(clean.shape, generator=self.noise)
            loss = nn.functional.mse_loss(self.model(noisy.to(self.device)), clean.to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.detach()

    def after_epoch(self, epoch, loss):
        dist.all_reduce(loss)
        if self.lead:
            print(f"epoch {epoch}: {loss.item() / dist.get_world_size():.4f}")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    Denoise(device, [local_rank] if cuda else None).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
