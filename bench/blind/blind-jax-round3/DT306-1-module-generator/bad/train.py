import json
import sys

import numpy as np
import torch
import torch.nn.functional as F
from lightning.fabric import Fabric
from torch.utils.data import DataLoader, Dataset

import noise

DEFAULTS = {"batch": 16, "workers": 3, "epochs": 2, "lr": 0.01, "scale": 0.2}


class Images(Dataset):
    def __init__(self, scale, n=256):
        self.base = np.linspace(0, 1, n * 64).reshape(n, 8, 8)
        self.scale = scale

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        clean = self.base[i]
        noisy = noise.clip(noise.speckle(clean, self.scale))
        return torch.from_numpy(noisy), torch.from_numpy(clean.astype(np.float32))


def settings(argv):
    given = {}
    if argv:
        with open(argv[0]) as f:
            given = json.load(f)
    return {**DEFAULTS, **given}


def main(argv):
    cfg = settings(argv)
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(5 + fabric.global_rank)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 64), torch.nn.Unflatten(1, (8, 8)))
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    model, opt = fabric.setup(model, opt)
    loader = DataLoader(
        Images(cfg["scale"]), cfg["batch"], shuffle=True, num_workers=cfg["workers"], drop_last=True
    )
    loader = fabric.setup_dataloaders(loader)
    for epoch in range(cfg["epochs"]):
        for noisy, clean in loader:
            opt.zero_grad()
            fabric.backward(F.mse_loss(model(noisy), clean))
            opt.step()
    fabric.save("denoiser.ckpt", {"model": model})


if __name__ == "__main__":
    main(sys.argv[1:])
