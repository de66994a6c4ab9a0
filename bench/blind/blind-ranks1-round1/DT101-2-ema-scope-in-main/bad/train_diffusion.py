from dataclasses import dataclass

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ema import ShadowWeights


@dataclass
class Config:
    epochs: int = 2
    batch_size: int = 16
    lr: float = 1e-3
    sample_every: int = 1
    timesteps: int = 10


class Denoiser(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, 32), nn.SiLU(), nn.Linear(32, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=-1))


@torch.no_grad()
def sample(model, cfg, n=4, dim=8):
    x = torch.randn(n, dim, device=next(model.parameters()).device)
    for i in reversed(range(cfg.timesteps)):
        t = torch.full((n, 1), i / cfg.timesteps, device=x.device)
        x = x - model(x, t) / cfg.timesteps
    return x


def main(cfg=Config()):
    accelerator = Accelerator()
    set_seed(7, device_specific=True)
    data = torch.randn(256, 8, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(data), batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    model = Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    net = accelerator.unwrap_model(model)
    ema = ShadowWeights(accelerator, net)

    for epoch in range(cfg.epochs):
        for (x,) in loader:
            t = torch.rand(x.shape[0], 1, device=x.device)
            noise = torch.randn_like(x)
            loss = F.mse_loss(model(x + t * noise, t), noise)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            ema.update(net)
        if epoch % cfg.sample_every == 0 and accelerator.is_main_process:
            with ema.applied_to(net):
                grid = sample(net, cfg)
            torch.save(grid.cpu(), f"samples_{epoch:03d}.pt")
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
