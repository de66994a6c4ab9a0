import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Gated(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.gate, self.value, self.out = nn.Linear(width, 24), nn.Linear(width, 24), nn.Linear(24, 1)

    def forward(self, x):
        return self.out(torch.sigmoid(self.gate(x)) * self.value(x))


def finite_everywhere(accelerator, loss):
    bad = (~torch.isfinite(loss.detach())).float().reshape(1)
    return accelerator.reduce(bad, reduction="sum").item() == 0


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--max-bad", type=int, default=20)
    return parser.parse_args()


def main():
    args = options()
    accelerator = Accelerator(mixed_precision="no")
    set_seed(23)
    x = torch.randn(800, 12, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x, x.exp().sum(1, keepdim=True)), batch_size=20, shuffle=True, drop_last=True)
    model = Gated()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    bad = 0
    for epoch in range(args.epochs):
        for inputs, target in loader:
            loss = F.huber_loss(model(inputs), target)
            if not finite_everywhere(accelerator, loss):
                bad += 1
                if bad > args.max_bad:
                    raise RuntimeError(f"{bad} batches without a finite loss")
                optimizer.zero_grad()
                continue
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.wait_for_everyone()
    accelerator.save_model(model, "gated")
    accelerator.end_training()


if __name__ == "__main__":
    main()
