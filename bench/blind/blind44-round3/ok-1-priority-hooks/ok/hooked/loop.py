import torch
from torch import nn

from hooked.hooks import in_order


class Loop:
    def __init__(self, net, model, loader, optimizer, device, hooks):
        self.net, self.model, self.loader, self.optimizer, self.device = net, model, loader, optimizer, device
        self.hooks = in_order(hooks)
        self.epoch, self.loss = 0, torch.zeros((), device=device)

    def fire(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def run(self, epochs):
        for self.epoch in range(epochs):
            self.fire("before")
            for x, y in self.loader:
                loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.loss = loss.detach()
            self.fire("after")
