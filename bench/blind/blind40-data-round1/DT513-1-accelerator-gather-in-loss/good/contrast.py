import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class TwoTower(nn.Module):
    def __init__(self, left=40, right=24, dim=32):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(left, 64), nn.GELU(), nn.Linear(64, dim))
        self.right = nn.Sequential(nn.Linear(right, 64), nn.GELU(), nn.Linear(64, dim))
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, a, b):
        return F.normalize(self.left(a), dim=-1), F.normalize(self.right(b), dim=-1), self.log_scale.exp()


def everyone(accelerator, z):
    gathered = accelerator.gather(z)
    parts = list(gathered.chunk(accelerator.num_processes))
    parts[accelerator.process_index] = z
    gathered = torch.cat(parts)
    return gathered


def clip_loss(accelerator, a, b, scale):
    all_a, all_b = everyone(accelerator, a), everyone(accelerator, b)
    target = torch.arange(len(a), device=a.device) + accelerator.process_index * len(a)
    left = F.cross_entropy(scale * a @ all_b.t(), target)
    right = F.cross_entropy(scale * b @ all_a.t(), target)
    return (left + right) / 2


def pairs(n=4096):
    gen = torch.Generator().manual_seed(12)
    hidden = torch.randn(n, 8, generator=gen)
    return TensorDataset(
        hidden @ torch.randn(8, 40, generator=gen), hidden @ torch.randn(8, 24, generator=gen)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    accelerator = Accelerator()
    set_seed(0)
    model = TwoTower()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(pairs(), batch_size=args.batch_size, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for a, b in loader:
            loss = clip_loss(accelerator, *model(a, b))
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        mean = accelerator.reduce(loss.detach(), "mean")
        accelerator.print(f"epoch {epoch}: last loss {mean.item():.4f}")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "two_tower.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
