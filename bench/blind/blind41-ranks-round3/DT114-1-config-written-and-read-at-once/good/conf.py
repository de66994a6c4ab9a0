import json
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

PATH = Path("/shared/run/config.json")
DEFAULTS = {"lr": 1e-3, "width": 64, "batch": 32, "epochs": 2}


def resolve(accelerator, overrides):
    if accelerator.is_main_process:
        PATH.parent.mkdir(parents=True, exist_ok=True)
        PATH.write_text(json.dumps({**DEFAULTS, **overrides}))
    accelerator.wait_for_everyone()
    return json.loads(PATH.read_text())


def main():
    accelerator = Accelerator()
    config = resolve(accelerator, {"lr": 3e-4})
    set_seed(0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(3200, 10, generator=gen)
    loader = DataLoader(TensorDataset(x, x.sort(1).values), batch_size=config["batch"], shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(10, config["width"]), nn.ReLU(), nn.Linear(config["width"], 10))
    opt = torch.optim.Adam(model.parameters(), lr=config["lr"])
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(config["epochs"]):
        for a, b in loader:
            accelerator.backward(F.mse_loss(model(a), b))
            opt.step()
            opt.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
