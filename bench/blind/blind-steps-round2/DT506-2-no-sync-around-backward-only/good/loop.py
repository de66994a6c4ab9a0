from contextlib import ExitStack

import torch
from torch import nn


class Loop:
    def __init__(self, model, optimizer, window, device):
        self.model, self.optimizer = model, optimizer
        self.window, self.device = window, device

    def loss(self, batch):
        x, y = (t.to(self.device) for t in batch)
        return nn.functional.mse_loss(self.model(x), y) / self.window

    def run(self, loader):
        self.optimizer.zero_grad()
        usable = len(loader) // self.window * self.window
        for i, batch in enumerate(loader):
            if i >= usable:
                break
            boundary = (i + 1) % self.window == 0
            with ExitStack() as stack:
                if not boundary:
                    stack.enter_context(self.model.no_sync())
                loss = self.loss(batch)
                loss.backward()
            if boundary:
                self.optimizer.step()
                self.optimizer.zero_grad()
