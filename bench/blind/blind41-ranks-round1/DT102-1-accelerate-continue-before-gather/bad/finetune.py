import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

logger = logging.getLogger(__name__)


@dataclass
class Settings:
    epochs: int = 2
    batch_size: int = 16
    lr: float = 2e-4
    log_every: int = 10
    out: str = "final"


def make_data(n=2048):
    gen = torch.Generator().manual_seed(99)
    x = torch.randn(n, 32, generator=gen)
    return TensorDataset(x, x[:, :1] * 2.0)


def train(settings):
    accelerator = Accelerator()
    set_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.SiLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    loader = DataLoader(make_data(), batch_size=settings.batch_size, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    step = 0
    for epoch in range(settings.epochs):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % settings.log_every != 0:
                continue
            if not accelerator.is_main_process:
                continue
            mean = accelerator.gather(loss.detach()).mean()
            logger.info("epoch %d step %d loss %.4f", epoch, step, mean.item())
    accelerator.wait_for_everyone()
    accelerator.save_model(model, settings.out)
    accelerator.end_training()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    train(Settings())
