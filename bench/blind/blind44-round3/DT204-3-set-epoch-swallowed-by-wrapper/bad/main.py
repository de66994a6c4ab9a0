import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from wrapd.epochs import reshuffle
from wrapd.prefetch import Prefetcher


def main(epochs=5):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    loader = DataLoader(data, 32, sampler=DistributedSampler(data, drop_last=True), drop_last=True, pin_memory=cuda)
    loader = Prefetcher(loader, device)
    for epoch in range(epochs):
        reshuffle(loader, epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
