import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from loaders import loader_for


def toy(seed, rows):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 10, generator=generator)
    return TensorDataset(x, x[:, 0] * x[:, 1])


@torch.no_grad()
def evaluate(model, loader, device):
    totals = torch.zeros(2, device=device)
    for x, y in loader:
        error = F.mse_loss(model(x.to(device))[:, 0], y.to(device), reduction="sum")
        totals += torch.stack([error, torch.tensor(float(len(y)), device=device)])
    dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()


def main():
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    device = torch.device("cpu")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        device = torch.device("cuda", torch.cuda.current_device())
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    train, val = loader_for(toy(0, 512), train=True), loader_for(toy(1, 128), train=False)
    for epoch in range(2):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            loss = F.mse_loss(model(x.to(device))[:, 0], y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = evaluate(net, val, device)
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
