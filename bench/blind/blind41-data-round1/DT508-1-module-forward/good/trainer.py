import torch
import torch.distributed as dist
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, optimizer, loader, sampler):
        self.model, self.optimizer = model, optimizer
        self.loader, self.sampler = loader, sampler

    @property
    def net(self):
        return self.model.module

    def loss(self, batch):
        x, y = batch
        logits = self.model(x)
        penalty = self.net.codebook.weight.pow(2).mean()
        return F.cross_entropy(logits, y) + 1e-4 * penalty

    def fit(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            for batch in self.loader:
                loss = self.loss(batch)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
