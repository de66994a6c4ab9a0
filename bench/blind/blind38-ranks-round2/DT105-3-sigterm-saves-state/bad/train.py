import argparse
import signal
import sys
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class Run:
    def __init__(self, args):
        self.accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2))
        self.folder = Path(args.out)
        self.step, self.asked = 0, False
        set_seed(args.seed)
        gen = torch.Generator().manual_seed(args.seed)
        x = torch.randn(4096, 24, generator=gen)
        net = nn.Sequential(nn.Linear(24, 256), nn.GELU(), nn.Linear(256, 24))
        loader = DataLoader(TensorDataset(x, x.cumsum(1)), batch_size=32, shuffle=True, drop_last=True)
        opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
        self.net, self.opt, self.loader = self.accelerator.prepare(net, opt, loader)
        signal.signal(signal.SIGTERM, self.on_term)

    def save(self):
        target = self.folder / f"step_{self.step:06d}"
        self.accelerator.save_state(str(target))
        if self.accelerator.is_main_process:
            (self.folder / "latest").write_text(target.name)

    def on_term(self, signum, frame):
        self.save()
        sys.exit(0)

    def train(self, epochs):
        for _ in range(epochs):
            for x, y in self.loader:
                self.opt.zero_grad()
                loss = F.mse_loss(self.net(x), y)
                self.accelerator.backward(loss)
                self.opt.step()
                self.step += 1
                if self.step % 200 == 0:
                    self.save()
        self.save()
        self.accelerator.end_training()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="runs/fsdp")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    Run(args).train(args.epochs)


if __name__ == "__main__":
    main()
