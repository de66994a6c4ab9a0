import torch
from torch import nn


class Stage:
    def __init__(self, links, dim):
        self.links = links
        self.net = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())
        self.opt = torch.optim.SGD(self.net.parameters(), 0.1)

    def micro(self, batch):
        x = batch if self.links.first else self.links.forward_in()
        y = self.net(x)
        if self.links.last:
            y.square().mean().backward()
        else:
            self.links.forward_out(y)
            y.backward(self.links.backward_in())
        if not self.links.first and not self.links.last:
            self.links.backward_out(x.grad)

    def step(self, batches):
        self.opt.zero_grad()
        for batch in batches:
            self.micro(batch)
        self.opt.step()
