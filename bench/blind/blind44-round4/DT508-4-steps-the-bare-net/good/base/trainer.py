import abc

import torch


class Trainer(abc.ABC):
    def __init__(self, net, device):
        self.device = device
        self.net = net.to(device)
        self.model = self.wrap(self.net)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)

    @abc.abstractmethod
    def wrap(self, net):
        ...

    @abc.abstractmethod
    def loss(self, model, batch):
        ...

    def train_step(self, batch):
        batch = [t.to(self.device) for t in batch]
        loss = self.loss(self.model, batch)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    @torch.no_grad()
    def check(self, batch):
        return self.loss(self.model, [t.to(self.device) for t in batch])
