import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def patches(n=3200):
    gen = torch.Generator().manual_seed(18)
    x = torch.randn(n, 16, 12, generator=gen)
    return TensorDataset(x, x.mean((1, 2)).gt(0).long())


class TinyViT(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.inp = nn.Linear(12, dim)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 4, 96, batch_first=True), 2)
        self.out = nn.Linear(dim, 2)

    def forward(self, x):
        return self.out(self.body(self.inp(x)).mean(1))


class Job:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator(step_scheduler_with_optimizer=False)
        set_seed(args.seed)
        loader = DataLoader(patches(), batch_size=args.batch_size, shuffle=True, drop_last=True)
        model = TinyViT()
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        total = args.epochs * len(loader)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total)

    def epoch(self):
        for x, y in self.loader:
            loss = F.cross_entropy(self.model(x), y)
            self.accelerator.backward(loss)
            self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            self.optimizer.zero_grad()

    def run(self):
        for number in range(self.args.epochs):
            self.epoch()
            self.accelerator.print(number, self.schedule.get_last_lr())
        self.accelerator.wait_for_everyone()
        self.accelerator.save(self.accelerator.unwrap_model(self.model).state_dict(), "vit.pt")
        self.accelerator.end_training()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    Job(parser.parse_args()).run()
