import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import Dataset

from loaders import LoaderConfig, make_loader


class Waves(Dataset):
    def __init__(self, n=320):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        t = torch.linspace(0, 1, 32)
        return torch.sin(2 * torch.pi * (1 + i % 5) * t), i % 5


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader, sampler = make_loader(Waves(), LoaderConfig())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "waves.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
