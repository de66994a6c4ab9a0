import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, net: nn.Module, data, lr: float = 1e-3, batch: int = 32):
        self.accelerator = Accelerator()
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=lr)
        self.loader = DataLoader(data, batch_size=batch, shuffle=True, drop_last=True)
        self._prepare()

    def _prepare(self):
        net, self.optimizer, self.loader = self.accelerator.prepare(self.net, self.optimizer, self.loader)
        net.train()

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.huber_loss(self.net(x), y)
        self.accelerator.backward(loss)
        self.optimizer.step()
        return loss.detach()

    def fit(self, epochs: int):
        for epoch in range(epochs):
            total = torch.zeros((), device=self.accelerator.device)
            for x, y in self.loader:
                total += self.step(x, y)
            mean = self.accelerator.reduce(total / len(self.loader), reduction="mean")
            self.accelerator.print(f"epoch {epoch}: {mean.item():.4f}")


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 27), nn.Softplus(), nn.Linear(27, 1))
    g = torch.Generator().manual_seed(1)
    x = torch.randn(1024, 9, generator=g)
    trainer = Trainer(net, TensorDataset(x, x.pow(2).sum(1, keepdim=True)))
    trainer.fit(epochs=3)
    trainer.accelerator.end_training()


if __name__ == "__main__":
    main()
