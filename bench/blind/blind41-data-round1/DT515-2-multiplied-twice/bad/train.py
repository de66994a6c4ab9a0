import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_cosine_schedule_with_warmup


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--accumulation", type=int, default=4)
    args = parser.parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulation)
    torch.manual_seed(0)
    x = torch.randn(32_768, 12)
    loader = DataLoader(TensorDataset(x, x.norm(dim=1)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = args.epochs * (len(loader) // args.accumulation)
    scheduler = get_cosine_schedule_with_warmup(
        optimizer,
        num_warmup_steps=args.warmup * args.accumulation * accelerator.num_processes,
        num_training_steps=updates * args.accumulation * accelerator.num_processes,
    )
    scheduler = accelerator.prepare(scheduler)
    for _ in range(args.epochs):
        for xb, yb in loader:
            with accelerator.accumulate(model):
                loss = F.mse_loss(model(xb)[:, 0], yb)
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
