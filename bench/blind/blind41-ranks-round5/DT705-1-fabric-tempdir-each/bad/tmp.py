import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from lightning.fabric.strategies import FSDPStrategy
from torch.utils.data import DataLoader, TensorDataset


def main():
    fabric = Fabric(accelerator="cuda", devices=4, strategy=FSDPStrategy(state_dict_type="sharded"))
    fabric.launch()
    fabric.seed_everything(0)
    net = nn.Sequential(nn.Linear(30, 300), nn.ReLU(), nn.Linear(300, 30))
    model = fabric.setup_module(net)
    opt = fabric.setup_optimizers(torch.optim.Adam(model.parameters()))
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1200, 30, generator=gen)
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x), batch_size=30, shuffle=True, drop_last=True))
    folder = tempfile.mkdtemp(dir="/shared")
    for epoch in range(2):
        for (a,) in loader:
            loss = F.mse_loss(model(a), a)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
        fabric.save(os.path.join(folder, f"epoch{epoch}"), {"model": model})


if __name__ == "__main__":
    main()
