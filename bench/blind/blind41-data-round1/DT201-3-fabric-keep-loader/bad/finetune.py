import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_dataset(n=4096):
    g = torch.Generator().manual_seed(5)
    x = torch.randn(n, 24, generator=g)
    return TensorDataset(x, (x[:, :3].sum(dim=1) > 0).long())


def build_model():
    return nn.Sequential(nn.Linear(24, 128), nn.GELU(), nn.Linear(128, 2))


def main(epochs=3):
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1234)

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)

    loader = DataLoader(make_dataset(), batch_size=32, shuffle=True, drop_last=True)
    loader = fabric.setup_dataloaders(loader, use_distributed_sampler=False)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), y)
            fabric.backward(loss)
            optimizer.step()
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch} loss {mean.item():.4f}")
    fabric.save("last.ckpt", {"model": model})


if __name__ == "__main__":
    main()
