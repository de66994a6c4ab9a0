from types import SimpleNamespace

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn

from twice.data import train_loader


def prepared(accelerator, **parts):
    return SimpleNamespace(**dict(zip(parts, accelerator.prepare(*parts.values()))))


def main(epochs=2):
    accelerator = Accelerator(mixed_precision="no")
    set_seed(0)
    model = nn.Sequential(nn.Linear(14, 30), nn.ReLU(), nn.Linear(30, 1))
    job = prepared(
        accelerator,
        model=model,
        opt=torch.optim.AdamW(model.parameters(), 1e-3),
        loader=train_loader(accelerator, 32),
    )
    for epoch in range(epochs):
        if accelerator.num_processes > 1:
            job.loader.set_epoch(epoch)
        for x, y in job.loader:
            job.opt.zero_grad()
            accelerator.backward(nn.functional.mse_loss(job.model(x), y))
            job.opt.step()
    accelerator.end_training()


if __name__ == "__main__":
    main()
