import argparse
import itertools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from sources import ShardStream


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="shards")
    parser.add_argument("--run-name", default="baseline")
    parser.add_argument("--steps-per-epoch", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    stream = ShardStream(args.folder, args.run_name, rank, world)
    loader = DataLoader(stream, batch_size=64, num_workers=2, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128)).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

    def endless():
        epoch = 0
        while True:
            stream.set_epoch(epoch)
            yield from loader
            epoch += 1

    batches = endless()
    for epoch in range(args.epochs):
        for x in itertools.islice(batches, args.steps_per_epoch):
            x = x.cuda(non_blocking=True)
            loss = (model(x) - x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"{args.run_name}-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
