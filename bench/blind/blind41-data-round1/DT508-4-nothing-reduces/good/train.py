import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.nn.parallel import DistributedDataParallel as DDP


class Job:
    def __init__(self, args):
        self.args = args
        dist.init_process_group("gloo")
        torch.manual_seed(args.seed)
        self.model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
        self.model = DDP(self.model)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        x = torch.randn(5000, 10)
        self.data = TensorDataset(x, x.max(1, keepdim=True).values)
        self.sampler = DistributedSampler(self.data, seed=args.seed)

    def loader(self, epoch):
        self.sampler.set_epoch(epoch)
        return DataLoader(self.data, batch_size=25, sampler=self.sampler, drop_last=True)

    def run(self):
        for epoch in range(self.args.epochs):
            for x, y in self.loader(epoch):
                self.optimizer.zero_grad()
                loss = F.mse_loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if dist.get_rank() == 0:
                print(epoch, mean.item() / dist.get_world_size())
        if dist.get_rank() == 0:
            torch.save(self.optimizer.state_dict(), "opt.pt")
        dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=2)
    Job(parser.parse_args()).run()
