import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from env import start
from plateau import Plateau


class Engine:
    def __init__(self, env, args):
        self.env, self.args = env, args
        torch.manual_seed(args.seed)
        net = nn.Linear(8, 1).to(env.device)
        self.model = DDP(net, device_ids=[env.device.index] if env.device.type == "cuda" else None)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        g = torch.Generator().manual_seed(5)
        x = torch.randn(640, 8, generator=g)
        data = TensorDataset(x, x.mean(1, keepdim=True))
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, args.batch, sampler=self.sampler, drop_last=True)
        self.stopper = Plateau(args.patience) if env.lead else None

    def train_epoch(self, epoch):
        self.sampler.set_epoch(epoch)
        total = torch.zeros((), device=self.env.device)
        for x, y in self.loader:
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.model(x.to(self.env.device)), y.to(self.env.device))
            loss.backward()
            self.opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        return total.item() / (len(self.loader) * self.env.world)

    def fit(self):
        for epoch in range(self.args.epochs):
            mean = self.train_epoch(epoch)
            if self.env.lead:
                print(f"epoch {epoch}: {mean:.4f}")
            if self.stopper is not None and self.stopper.update(mean):
                print("no progress, stopping")
                break


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--patience", type=int, default=3)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--lr", type=float, default=1e-2)
    args = ap.parse_args()
    env = start()
    Engine(env, args).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
