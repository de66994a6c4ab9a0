import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn import LayerNorm, Linear, Sequential, Tanh
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from guarding import failure_report


class Readings(Dataset):
    def __init__(self, folder_seed=8, size=512):
        gen = torch.Generator().manual_seed(folder_seed)
        self.series = torch.randn(size, 30, generator=gen)

    def __len__(self):
        return self.series.size(0)

    def __getitem__(self, i):
        row = self.series[i]
        if not torch.isfinite(row).all():
            raise ValueError(f"reading {i} is broken")
        return row[:24], row[24:]


def train(model, loader, sampler, optimizer, device, epochs):
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for past, future in loader:
            prediction = model(past.to(device))
            loss = F.smooth_l1_loss(prediction, future.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(4)
    net = Sequential(Linear(24, 64), Tanh(), LayerNorm(64), Linear(64, 6)).to(device)
    model = DDP(net, device_ids=[device] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    data = Readings()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    with failure_report("training"):
        train(model, loader, sampler, optimizer, device, epochs=3)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
