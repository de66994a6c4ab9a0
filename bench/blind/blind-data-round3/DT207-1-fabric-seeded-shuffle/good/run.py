import random
from pathlib import Path

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def seed_everything(fabric, base):
    """Another stream of noise on each rank."""
    random.seed(base + fabric.global_rank)
    torch.manual_seed(base + fabric.global_rank)


def files_for(fabric, folder, base):
    names = sorted(Path(folder).glob("*.pt"))
    random.Random(base).shuffle(names)
    per_rank = len(names) // fabric.world_size
    first = fabric.global_rank * per_rank
    return names[first : first + per_rank]


def rows_of(names):
    return torch.cat([torch.load(name, map_location="cpu", weights_only=True) for name in names])


def main(folder="parts", base=31, steps=20):
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    seed_everything(fabric, base)
    data = TensorDataset(rows_of(files_for(fabric, folder, base)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    loader = fabric.setup_dataloaders(loader, use_distributed_sampler=False)
    done = 0
    while done < steps:
        for (rows,) in loader:
            noisy = rows + 0.1 * torch.randn_like(rows)
            loss = F.mse_loss(model(noisy), rows)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
            done += 1
            if done == steps:
                break
    fabric.save("denoise.ckpt", {"model": model})


if __name__ == "__main__":
    main()
