import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from towers import TwoTowers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aux", action="store_true")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(200, 6)
    data = TensorDataset(x, x.mean(1, keepdim=True))
    model = DistributedDataParallel(
        TwoTowers(6, use_aux=args.aux)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    sampler = DistributedSampler(data)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in DataLoader(data, 10, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
