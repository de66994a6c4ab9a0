import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from noise import EpochNoise


class Denoiser(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(dim, 64), torch.nn.ReLU(), torch.nn.Linear(64, dim))

    def forward(self, x):
        return self.body(x)


class Run:
    def __init__(self, args):
        self.args = args
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        torch.manual_seed(args.seed)
        clean = torch.linspace(-1, 1, 512 * 12).reshape(512, 12)
        data = TensorDataset(clean)
        self.sampler = DistributedSampler(data, self.world, self.rank, drop_last=True)
        self.loader = DataLoader(data, 16, sampler=self.sampler, drop_last=True)
        self.model = DDP(Denoiser(12))
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.noise = EpochNoise(args.seed, self.rank, self.world)

    def epoch(self, number):
        self.sampler.set_epoch(number)
        self.noise.start_epoch(number)
        for (clean,) in self.loader:
            loss = F.mse_loss(self.model(self.noise(clean, self.args.scale)), clean)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--scale", type=float, default=0.2)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    run = Run(args)
    for number in range(args.epochs):
        run.epoch(number)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
