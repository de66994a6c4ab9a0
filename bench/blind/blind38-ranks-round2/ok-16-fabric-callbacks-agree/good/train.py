import argparse
import time

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def on_step(self, run):
        return False


class Deadline(Callback):
    def __init__(self, minutes):
        self.end = time.time() + 60 * minutes

    def on_step(self, run):
        return time.time() > self.end


class Divergence(Callback):
    def __init__(self, limit=1e4):
        self.limit = limit

    def on_step(self, run):
        return not run.loss < self.limit


class Run:
    def __init__(self, fabric, callbacks):
        self.fabric, self.callbacks = fabric, callbacks
        self.step, self.loss = 0, 0.0

    def stop_here(self):
        """Each rank may have a reason; one reason is enough for all."""
        wants = any([callback.on_step(self) for callback in self.callbacks])
        votes = self.fabric.all_reduce(torch.tensor(float(wants), device=self.fabric.device), reduce_op="sum")
        return votes.item() > 0

    def fit(self, model, opt, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                opt.zero_grad()
                loss = F.smooth_l1_loss(model(x), y)
                self.fabric.backward(loss)
                opt.step()
                self.step += 1
                self.loss = loss.item()
                if self.step % 10 == 0 and self.stop_here():
                    self.fabric.print(f"stopping at step {self.step}")
                    return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--devices", type=int, default=2)
    args = parser.parse_args()
    fabric = L.Fabric(devices=args.devices, strategy="fsdp")
    fabric.launch()
    fabric.seed_everything(8)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(6400, 30, generator=gen)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, x.sort(1).values), batch_size=64, shuffle=True, drop_last=True))
    model = fabric.setup_module(nn.Sequential(nn.Linear(30, 256), nn.ReLU(), nn.Linear(256, 30)))
    opt = fabric.setup_optimizers(torch.optim.Adam(model.parameters(), lr=1e-3))
    run = Run(fabric, [Deadline(args.minutes), Divergence()])
    run.fit(model, opt, loader, epochs=20)
    fabric.save("sorter.ckpt", {"model": model, "opt": opt, "step": run.step})


if __name__ == "__main__":
    main()
