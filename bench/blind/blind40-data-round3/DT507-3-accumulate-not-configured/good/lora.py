import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LoRALinear(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(r, base.in_features) * 0.02)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


def build():
    return nn.Sequential(LoRALinear(nn.Linear(32, 64)), nn.ReLU(), LoRALinear(nn.Linear(64, 4)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gradient-accumulation-steps", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    accelerator = Accelerator(
        mixed_precision="no", gradient_accumulation_steps=args.gradient_accumulation_steps
    )
    set_seed(2)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(2048, 32, generator=gen)
    loader = DataLoader(TensorDataset(x, x[:, :4].argmax(1)), args.batch_size, shuffle=True, drop_last=True)
    model = build()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    accelerator.print("effective batch", args.batch_size * args.gradient_accumulation_steps * accelerator.num_processes)
    for epoch in range(args.epochs):
        for features, label in loader:
            with accelerator.accumulate(model):
                accelerator.backward(F.cross_entropy(model(features), label))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
