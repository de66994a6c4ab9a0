import torch


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.optimizer = self.make_optimizer(lr)
        self.setup()

    def make_optimizer(self, lr):
        return torch.optim.AdamW(self.model.parameters(), lr=lr)

    def setup(self):
        pass

    def step(self, x):
        self.optimizer.zero_grad()
        loss = (self.model(x) - x).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach()
