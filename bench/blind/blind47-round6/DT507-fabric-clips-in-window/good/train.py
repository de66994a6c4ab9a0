import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from hooks import Hooks


def main(window=4):
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1)
    x = torch.randn(1024, 4)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 8, shuffle=True))
    net = nn.Linear(4, 1)
    model, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters()))
    hooks = Hooks()
    hooks.before_step.append(lambda: fabric.clip_gradients(model, optimizer, max_norm=1.0))
    usable = len(loader) - len(loader) % window
    for index, (a, b) in enumerate(loader):
        if index >= usable:
            break
        last = (index + 1) % window == 0
        with fabric.no_backward_sync(model, enabled=not last):
            fabric.backward(nn.functional.mse_loss(model(a), b) / window)
            hooks.run("after_backward")
        if last:
            hooks.run("before_step")
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
