import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import network


def setup(args):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    network.tune(args.interface)
    dist.init_process_group("nccl")
    dist.barrier(device_ids=[local_rank])
    return local_rank


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--interface", default="ib0")
    args = parser.parse_args()
    local_rank = setup(args)
    torch.manual_seed(0)
    data = TensorDataset(*torch.load("table.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DistributedDataParallel(nn.Linear(16, 1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()).squeeze(-1), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
