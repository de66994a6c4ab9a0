import math

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_scheduler


def main(epochs=3, accumulate=4, warmup=20):
    accelerator = Accelerator(gradient_accumulation_steps=accumulate)
    torch.manual_seed(0)
    x = torch.randn(8192, 10)
    loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Linear(10, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    steps = epochs * math.ceil(len(loader) / accumulate)
    schedule = get_scheduler(
        "cosine",
        optimizer,
        num_warmup_steps=warmup * accelerator.num_processes,
        num_training_steps=steps * accelerator.num_processes,
    )
    schedule = accelerator.prepare(schedule)
    for _ in range(epochs):
        for xb, yb in loader:
            with accelerator.accumulate(model):
                accelerator.backward(F.mse_loss(model(xb)[:, 0], yb))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
