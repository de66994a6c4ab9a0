import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from plateau.meters import Mean


def main(epochs=20):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    scheduler = ReduceLROnPlateau(opt, patience=1)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1] - x[:, 1:2])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 20, sampler=sampler, drop_last=True)
    mean = Mean(device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean.add(loss.item() * len(a), len(a))
        scheduler.step(mean.result())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
