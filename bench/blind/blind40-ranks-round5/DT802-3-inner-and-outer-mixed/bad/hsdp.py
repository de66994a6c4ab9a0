from torch import nn


class Hierarchy:
    """Gradients within the island at every step, weights between the islands now and then."""

    def __init__(self, island, globe, net: nn.Module, opt, every):
        self.island, self.globe = island, globe
        self.net, self.opt, self.every = net, opt, every
        self.steps = 0

    def begin(self):
        self.island.start_quorum()
        self.opt.zero_grad()

    def end(self):
        for work in [self.globe.allreduce(p.grad) for p in self.net.parameters()]:
            work.wait()
        if self.island.should_commit():
            self.opt.step()
        self.steps += 1
        if self.steps % self.every == 0:
            self._between()

    def _between(self):
        self.globe.start_quorum()
        old = [p.detach().clone() for p in self.net.parameters()]
        for work in [self.globe.allreduce(p.data) for p in self.net.parameters()]:
            work.wait()
        if not self.globe.should_commit():
            for p, kept in zip(self.net.parameters(), old):
                p.data.copy_(kept)
