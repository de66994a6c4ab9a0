import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup


def tables(seed=0):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(3000, 20, generator=gen)
    y = (x[:, :4].sum(1) > 0).long()
    return TensorDataset(x[:2600], y[:2600]), TensorDataset(x[2600:], y[2600:])


def main(epochs=4, batch_size=32):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(5)
    train, held = tables()
    train_loader = DataLoader(train, batch_size=batch_size, shuffle=True)
    held_loader = DataLoader(held, batch_size=batch_size)
    model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, train_loader, held_loader = accelerator.prepare(model, optimizer, train_loader, held_loader)
    per_epoch = math.ceil(len(train_loader) / accelerator.gradient_accumulation_steps)
    scheduler = get_linear_schedule_with_warmup(optimizer, 10, epochs * per_epoch)
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            with accelerator.accumulate(model):
                accelerator.backward(F.cross_entropy(model(x), y))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                if accelerator.sync_gradients:
                    scheduler.step()
                optimizer.zero_grad()
        model.eval()
        right = total = 0
        for x, y in held_loader:
            with torch.no_grad():
                guess = model(x).argmax(-1)
            guess, y = accelerator.gather_for_metrics((guess, y))
            right += (guess == y).sum().item()
            total += len(y)
        accelerator.print(epoch, right / total)
    accelerator.end_training()


if __name__ == "__main__":
    main()
