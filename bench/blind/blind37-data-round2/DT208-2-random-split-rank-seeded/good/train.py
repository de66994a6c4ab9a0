import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset, random_split


def sensor_data(path):
    blob = torch.load(path, map_location="cpu")
    return TensorDataset(blob["x"], blob["y"])


class Anomaly(nn.Module):
    def __init__(self, channels=24, hidden=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(channels, hidden), nn.Dropout(0.3), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.out(self.enc(x))


class Experiment:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator()
        set_seed(args.seed, device_specific=True)
        whole = sensor_data(args.data)
        held = int(len(whole) * args.val)
        train, val = random_split(whole, [len(whole) - held, held], generator=torch.Generator().manual_seed(args.seed))
        net = Anomaly()
        optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
        self.model, self.optimizer, self.train, self.val = self.accelerator.prepare(
            net,
            optimizer,
            DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True),
            DataLoader(val, batch_size=args.batch_size),
        )

    def fit(self):
        best = 0.0
        for epoch in range(self.args.epochs):
            self.model.train()
            for x, y in self.train:
                loss = F.cross_entropy(self.model(x), y)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
            score = self.score()
            if score > best:
                best = score
                self.accelerator.save_model(self.model, self.args.out)
            self.accelerator.print(f"{epoch}: {score:.4f} (best {best:.4f})")
        self.accelerator.end_training()

    @torch.no_grad()
    def score(self):
        self.model.eval()
        right, seen = 0, 0
        for x, y in self.val:
            guess, y = self.accelerator.gather_for_metrics((self.model(x).argmax(-1), y))
            right += (guess == y).sum().item()
            seen += y.shape[0]
        return right / seen


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="sensors.pt")
    ap.add_argument("--val", type=float, default=0.15)
    ap.add_argument("--batch-size", type=int, default=256)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", default="anomaly")
    Experiment(ap.parse_args()).fit()
