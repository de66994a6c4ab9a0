import torch
from accelerate import Accelerator, DeepSpeedPlugin
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from loop.events import Bus
from loop.saving import install


def main(epochs=2, every=50):
    accelerator = Accelerator(deepspeed_plugin=DeepSpeedPlugin(zero_stage=2))
    set_seed(3)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(8192, 16, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x, x.norm(dim=1, keepdim=True)), 16, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    bus = Bus()
    install(bus, accelerator, "out")
    step = 0
    for _ in range(epochs):
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a), b)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % every == 0:
                bus.emit("checkpoint", step)
    accelerator.end_training()


if __name__ == "__main__":
    main()
