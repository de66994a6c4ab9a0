import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def data(n=2048):
    x = torch.randn(n, 8, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Run:
    def __init__(self, fabric, window):
        self.fabric, self.window = fabric, window
        net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        self.model, self.opt = fabric.setup(net, torch.optim.AdamW(net.parameters()))
        self.loader = fabric.setup_dataloaders(DataLoader(data(), 16, shuffle=True, drop_last=True))

    def epoch(self):
        for i, (x, y) in enumerate(self.loader):
            partial = (i + 1) % self.window != 0
            with self.fabric.no_backward_sync(self.model, enabled=partial):
                loss = nn.functional.mse_loss(self.model(x), y) / self.window
                self.fabric.backward(loss)
            if not partial:
                self.opt.step()
                self.opt.zero_grad()
        return self.fabric.all_reduce(loss.detach() * self.window, reduce_op="mean")
