import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from contrast.loss import PairLoss
from contrast.model import Encoder


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(Encoder().to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    criterion = PairLoss()
    g = torch.Generator().manual_seed(3)
    x = torch.randn(1024, 20, generator=g)
    data = TensorDataset(x, x + 0.05 * torch.randn(1024, 20, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for left, right in loader:
            loss = criterion(model, left.to(device), right.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(unwrapped(model), "enc.pt")
    dist.destroy_process_group()


def unwrapped(model):
    return model.module.state_dict()


if __name__ == "__main__":
    main()
