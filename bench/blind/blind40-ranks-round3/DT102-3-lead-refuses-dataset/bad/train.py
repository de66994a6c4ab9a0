import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import ConcatDataset, DataLoader, DistributedSampler, TensorDataset

from prepare import ManifestError, prepared


def load(path):
    x, y = torch.load(path, map_location="cpu", weights_only=True)
    return TensorDataset(x, y)


def run(root, device):
    data = ConcatDataset([load(p) for p in prepared(root)])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(20, 1).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()


def main():
    dist.init_process_group("gloo")
    try:
        run(sys.argv[1], torch.device("cpu"))
    except ManifestError as err:
        print(err, file=sys.stderr)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
