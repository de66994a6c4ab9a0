import math
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn


class Fitter:
    def __init__(self, model, device, folder):
        self.model, self.device = model, device
        self.folder = Path(folder)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        self.best = math.inf
        self.lead = dist.get_rank() == 0
        if self.lead:
            self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def best_path(self):
        return self.folder / "best.pt"

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        totals = torch.zeros(2, device=self.device)
        for x, y in loader:
            prediction = self.model(x.to(self.device))
            totals += torch.stack([(prediction - y.to(self.device)).abs().sum(), torch.tensor(float(y.numel()), device=self.device)])
        self.model.train()
        dist.all_reduce(totals)
        return (totals[0] / totals[1]).item()

    def fit(self, train, sampler, valid, epochs):
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in train:
                loss = nn.functional.huber_loss(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            error = self.evaluate(valid)
            if error < self.best:
                self.best = error
                if self.lead:
                    torch.save(self.model.module.state_dict(), self.best_path)

    def test(self, loader):
        dist.barrier()
        state = torch.load(self.best_path, map_location=self.device, weights_only=True)
        self.model.module.load_state_dict(state)
        return self.evaluate(loader)
