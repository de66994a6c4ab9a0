from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.fabric import Fabric
from lightning.fabric.strategies import FSDPStrategy
from torch.utils.data import DataLoader, TensorDataset


def checkpoint(fabric, state, step, root=Path("ckpt")):
    target = root / f"step-{step:06d}"
    fabric.print("saving", target)
    fabric.save(target, state)


def main():
    fabric = Fabric(accelerator="cuda", devices=4, strategy=FSDPStrategy(state_dict_type="sharded"))
    fabric.launch()
    fabric.seed_everything(5)
    with fabric.init_module():
        net = nn.Sequential(nn.Linear(100, 1000), nn.ReLU(), nn.Linear(1000, 10))
    model = fabric.setup_module(net)
    opt = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-3))
    gen = torch.Generator().manual_seed(5)
    data = TensorDataset(torch.randn(4000, 100, generator=gen), torch.randint(0, 10, (4000,), generator=gen))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=20, shuffle=True, drop_last=True))
    state = {"model": model, "optimizer": opt, "step": 0}
    for epoch in range(3):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            state["step"] += 1
            if state["step"] % 25 == 0:
                checkpoint(fabric, state, state["step"])


if __name__ == "__main__":
    main()
