import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 8


def waves(n=40_000):
    g = torch.Generator().manual_seed(61)
    x = torch.rand(n, 20, generator=g)
    return TensorDataset(x, torch.sin(6 * x).mean(1, keepdim=True))


def main(epochs=10, batch_size=32):
    fabric = L.Fabric(accelerator="auto", devices=4, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(61)
    net = nn.Sequential(nn.Linear(20, 200), nn.SiLU(), nn.Linear(200, 1))
    model, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=1e-3))
    loader = fabric.setup_dataloaders(DataLoader(waves(), batch_size=batch_size, shuffle=True, drop_last=True))
    whole = len(loader) // ACCUMULATE * ACCUMULATE
    schedule = CosineAnnealingLR(optimizer, T_max=epochs * (len(loader) // ACCUMULATE))
    for epoch in range(epochs):
        total = torch.zeros((), device=fabric.device)
        for number, (x, y) in enumerate(loader):
            if number == whole:
                break
            last = (number + 1) % ACCUMULATE == 0
            with fabric.no_backward_sync(model, enabled=not last):
                loss = F.mse_loss(model(x), y)
                fabric.backward(loss / ACCUMULATE)
            total += loss.detach()
            if last:
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
        mean = fabric.all_reduce(total / whole, reduce_op="mean")
        fabric.print(f"epoch {epoch}: {mean.item():.5f}, lr {schedule.get_last_lr()[0]:.2e}")
    fabric.save("waves.ckpt", {"model": model})


if __name__ == "__main__":
    main()
