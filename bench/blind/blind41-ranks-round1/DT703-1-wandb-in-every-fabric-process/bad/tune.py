import os

import torch
import torch.nn as nn
import torch.nn.functional as F
import wandb
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"lr": 0.03, "width": 80, "batch": 40, "epochs": 3}


def tracker(fabric):
    return wandb.init(project="width-scan", config=CONFIG, dir=os.environ.get("WANDB_DIR", "."))


def main():
    fabric = Fabric(accelerator="cuda", devices=8, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(31)
    run = tracker(fabric)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(4000, 15, generator=gen)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=CONFIG["batch"], shuffle=True, drop_last=True)
    )
    net = nn.Sequential(nn.Linear(15, CONFIG["width"]), nn.ReLU(), nn.Linear(CONFIG["width"], 2))
    model, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=CONFIG["lr"]))
    step = 0
    for epoch in range(CONFIG["epochs"]):
        for features, label in loader:
            loss = F.cross_entropy(model(features), label)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            step += 1
            if step % 20 == 0:
                mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
                if run is not None:
                    run.log({"loss": mean.item()}, step=step)
    if run is not None:
        run.finish()


if __name__ == "__main__":
    main()
