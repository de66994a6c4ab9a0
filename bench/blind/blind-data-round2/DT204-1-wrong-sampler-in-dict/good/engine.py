import torch
import torch.distributed as dist
import torch.nn.functional as F


class Engine:
    """Runs phases; hooks are called with the engine at the named moments."""

    def __init__(self, model, optimizer, loaders, device):
        self.model, self.optimizer, self.loaders, self.device = model, optimizer, loaders, device
        self.hooks = {"epoch_start": [], "epoch_end": []}
        self.epoch = 0

    def on(self, moment):
        def register(function):
            self.hooks[moment].append(function)
            return function

        return register

    def _fire(self, moment):
        for hook in self.hooks[moment]:
            hook(self)

    def train_phase(self):
        self.model.train()
        for x, y in self.loaders["train"]:
            loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def valid_phase(self):
        self.model.eval()
        counts = torch.zeros(2, device=self.device)
        for x, y in self.loaders["valid"]:
            hit = self.model.module(x.to(self.device)).argmax(1) == y.to(self.device)
            counts += torch.stack([hit.sum(), torch.ones_like(hit).sum()])
        dist.all_reduce(counts)
        return (counts[0] / counts[1]).item()

    def run(self, epochs):
        for self.epoch in range(epochs):
            self._fire("epoch_start")
            self.train_phase()
            self.accuracy = self.valid_phase()
            self._fire("epoch_end")
