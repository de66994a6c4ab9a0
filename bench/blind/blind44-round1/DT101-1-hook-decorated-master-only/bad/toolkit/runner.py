import torch
import torch.nn.functional as F

from .dist import sum_over_ranks


class EpochRunner:
    def __init__(self, model, optimizer, train_loader, val_loader, device, hooks):
        self.model, self.optimizer = model, optimizer
        self.train_loader, self.val_loader = train_loader, val_loader
        self.device, self.hooks = device, hooks
        self.epoch = 0

    def call(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def train_one(self):
        self.model.train()
        for x, y in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        counts = torch.zeros(2, device=self.device)
        for x, y in self.val_loader:
            hit = self.model.module(x.to(self.device)).argmax(1).eq(y.to(self.device))
            counts[0] += hit.sum()
            counts[1] += hit.numel()
        counts = sum_over_ranks(counts)
        return {"acc": (counts[0] / counts[1]).item()}

    def run(self, epochs):
        for self.epoch in range(epochs):
            self.call("before_epoch")
            self.train_one()
            self.call("after_epoch")
