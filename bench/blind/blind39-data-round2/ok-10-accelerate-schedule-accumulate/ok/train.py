import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_cosine_schedule_with_warmup


def rows(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 50, generator=gen)
    return TensorDataset(x, x[:, :5].argmax(dim=1))


def evaluate(accelerator, model, loader):
    model.eval()
    right = total = 0
    for x, y in loader:
        with torch.no_grad():
            guess = model(x).argmax(dim=-1)
        guess, y = accelerator.gather_for_metrics((guess, y))
        right += (guess == y).sum().item()
        total += len(y)
    model.train()
    return right / total


def main(epochs=4, accumulate=4, batch_size=16):
    accelerator = Accelerator(gradient_accumulation_steps=accumulate, log_with="tensorboard", project_dir="runs")
    accelerator.init_trackers("five-way", config={"epochs": epochs, "batch_size": batch_size})
    set_seed(9)
    train = DataLoader(rows(8192, 3), batch_size=batch_size, shuffle=True, drop_last=True)
    val = DataLoader(rows(1000, 4), batch_size=64)
    model = nn.Sequential(nn.Linear(50, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    updates = epochs * math.ceil(len(train) / accumulate)
    schedule = get_cosine_schedule_with_warmup(
        optimizer, 20 * accelerator.num_processes, updates * accelerator.num_processes
    )
    schedule = accelerator.prepare(schedule)
    for epoch in range(epochs):
        for x, y in train:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
        accelerator.log({"accuracy": evaluate(accelerator, model, val)}, step=epoch)
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "five-way")
    accelerator.end_training()


if __name__ == "__main__":
    main()
