import math

import torch
import torch.nn.functional as F


class UnstableStep(RuntimeError):
    pass


class Engine:
    def __init__(self, model, optimizer, device, ceiling=1e4):
        self.model, self.optimizer = model, optimizer
        self.device = device
        self.ceiling = ceiling

    def loss(self, x, y):
        prediction = self.model(x.to(self.device))
        loss = F.smooth_l1_loss(prediction, y.to(self.device))
        if not math.isfinite(loss.item()) or loss.item() > self.ceiling:
            raise UnstableStep(f"loss is {loss.item()}")
        return loss

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def run(self, loader):
        for x, y in loader:
            self.step(x, y)
