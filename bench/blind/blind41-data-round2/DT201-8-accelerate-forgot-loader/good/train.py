import typer
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

app = typer.Typer()


def synthetic():
    x = torch.randn(12_000, 22, generator=torch.Generator().manual_seed(8))
    return TensorDataset(x, x[:, :5].argmax(1))


@app.command()
def train(batch_size: int = 32, lr: float = 1e-3, epochs: int = 3, out: str = "runs/a"):
    accelerator = Accelerator(project_config=ProjectConfiguration(project_dir=out), mixed_precision="no")
    torch.manual_seed(3)
    loader = DataLoader(synthetic(), batch_size=batch_size, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(22, 64), nn.GELU(), nn.Linear(64, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = F.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        shown = accelerator.reduce(loss.detach(), reduction="mean")
        accelerator.print(f"{epoch}: {shown.item():.4f}")
    accelerator.save_state(f"{out}/last")
    accelerator.end_training()


if __name__ == "__main__":
    app()
