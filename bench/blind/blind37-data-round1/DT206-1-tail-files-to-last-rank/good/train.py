import argparse
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def assigned(files, rank, world):
    share = len(files) // world
    start = rank * share
    stop = start + share
    return files[start:stop]


class Forecaster(nn.Module):
    def __init__(self, channels=12, hidden=96):
        super().__init__()
        self.rnn = nn.GRU(channels, hidden, batch_first=True)
        self.out = nn.Linear(hidden, channels)

    def forward(self, series):
        states, _ = self.rnn(series)
        return self.out(states)


class Run:
    def __init__(self, args):
        self.args = args
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        torch.manual_seed(args.seed)
        self.model = DDP(Forecaster().cuda(), device_ids=[self.local_rank])
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        everything = sorted(Path(args.series).glob("*.npy"))
        self.files = assigned(everything, self.rank, self.world)
        self.rng = np.random.default_rng([args.seed, self.rank])

    def step(self, series):
        prediction = self.model(series[:, :-1])
        loss = nn.functional.mse_loss(prediction, series[:, 1:])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def epoch(self, number):
        for k in self.rng.permutation(len(self.files)):
            block = np.load(self.files[k])
            self.step(torch.from_numpy(block).float().cuda())
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), f"{self.args.out}/model{number:03d}.pt")

    def __call__(self):
        if self.rank == 0:
            os.makedirs(self.args.out, exist_ok=True)
        for number in range(self.args.epochs):
            self.epoch(number)
        dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("series")
    parser.add_argument("--out", default="forecaster")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=3)
    Run(parser.parse_args())()
