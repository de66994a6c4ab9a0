from dataclasses import dataclass

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    accumulate: int = 4
    batch: int = 16
    lr: float = 5e-4
    epochs: int = 3


class Tuner:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.accelerator = Accelerator(gradient_accumulation_steps=cfg.accumulate)
        set_seed(13)
        net = nn.Sequential(nn.Linear(24, 48), nn.SiLU(), nn.Linear(48, 6))
        g = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(2048, 24, generator=g), torch.randint(0, 6, (2048,), generator=g))
        loader = DataLoader(data, batch_size=cfg.batch, shuffle=True)
        self.net, self.opt, self.loader = self.accelerator.prepare(net, torch.optim.AdamW(net.parameters(), lr=cfg.lr), loader)

    def objective(self, x, y):
        loss = nn.functional.cross_entropy(self.net(x), y)
        return loss

    def run(self):
        for _ in range(self.cfg.epochs):
            for x, y in self.loader:
                with self.accelerator.accumulate(self.net):
                    self.accelerator.backward(self.objective(x, y))
                    if self.accelerator.sync_gradients:
                        self.accelerator.clip_grad_norm_(self.net.parameters(), 1.0)
                    self.opt.step()
                    self.opt.zero_grad()
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            self.accelerator.save(self.accelerator.unwrap_model(self.net).state_dict(), "tuned.pt")
        self.accelerator.end_training()


if __name__ == "__main__":
    Tuner(Config()).run()
