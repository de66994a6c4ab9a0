import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from loaders import EVAL, TRAIN, make


def toy(n, seed):
    x = torch.randn(n, 5, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.abs().sum(1, keepdim=True))


@torch.no_grad()
def error(model, loader, device):
    total = torch.zeros(2, device=device)
    for x, y in loader:
        total[0] += (model(x.to(device)) - y.to(device)).abs().sum()
        total[1] += len(x)
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 1).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    train, val = make(toy(512, 0), TRAIN, drop_last=True), make(toy(128, 1), EVAL)
    for epoch in range(2):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            opt.zero_grad()
            nn.functional.l1_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        err = error(model.module, val, device)
        if dist.get_rank() == 0:
            print(epoch, err)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
