from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

from meters import Meters


@dataclass
class Config:
    epochs: int = 3
    batch_size: int = 32
    lr: float = 3e-4
    log_every: int = 20
    seed: int = 11


def make_data(n=2048, dim=24, classes=6, seed=5):
    gen = torch.Generator().manual_seed(seed)
    feats = torch.randn(n, dim, generator=gen)
    return TensorDataset(feats, (feats @ torch.randn(dim, classes, generator=gen)).argmax(dim=1))


def build(cfg):
    net = nn.Sequential(nn.Linear(24, 96), nn.SiLU(), nn.Linear(96, 6))
    return net, torch.optim.AdamW(net.parameters(), lr=cfg.lr)


def main():
    cfg = Config()
    accelerator = Accelerator()
    set_seed(cfg.seed)
    net, opt = build(cfg)
    loader = DataLoader(make_data(), batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    net, opt, loader = accelerator.prepare(net, opt, loader)
    step = 0
    for epoch in range(cfg.epochs):
        meters = Meters(accelerator)
        for x, y in loader:
            opt.zero_grad()
            logits = net(x)
            loss = F.cross_entropy(logits, y)
            accelerator.backward(loss)
            opt.step()
            meters.update(loss=loss, acc=(logits.argmax(-1) == y).float().mean())
            step += 1
            if step % cfg.log_every == 0:
                if accelerator.is_main_process:
                    print(f"epoch {epoch} step {step}: {meters}")
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(net).state_dict(), "net.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
