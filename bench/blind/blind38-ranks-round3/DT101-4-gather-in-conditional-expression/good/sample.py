import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from torchvision.utils import save_image


class Flow(nn.Module):
    """Predicts the velocity between noise and image."""

    def __init__(self, size=12, dim=256):
        super().__init__()
        self.size = size
        self.net = nn.Sequential(nn.Linear(size * size + 1, dim), nn.SiLU(), nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, size * size))

    def forward(self, x, t):
        return self.net(torch.cat([x.flatten(1), t], dim=1)).view_as(x)


@torch.no_grad()
def draw(model, count, device, gen, steps=16):
    x = torch.randn(count, 1, model.size, model.size, device=device, generator=gen)
    for i in range(steps):
        t = torch.full((count, 1), i / steps, device=device)
        x = x + model(x, t) / steps
    return x


def stripes(n=4096, size=12, seed=2):
    gen = torch.Generator().manual_seed(seed)
    phase = torch.rand(n, 1, 1, 1, generator=gen) * 6.28
    rows = torch.linspace(0, 9, size).view(1, 1, size, 1)
    return TensorDataset((rows + phase).sin().expand(n, 1, size, size).contiguous())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--samples", type=int, default=16)
    args = parser.parse_args()
    accelerator = Accelerator()
    set_seed(6, device_specific=True)
    model = Flow()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(stripes(), batch_size=64, shuffle=True, drop_last=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    gen = torch.Generator(accelerator.device).manual_seed(500 + accelerator.process_index)
    for epoch in range(args.epochs):
        for (image,) in loader:
            noise = torch.randn_like(image)
            t = torch.rand(len(image), 1, device=image.device)
            mixed = torch.lerp(noise, image, t.view(-1, 1, 1, 1))
            opt.zero_grad()
            loss = F.mse_loss(model(mixed, t), image - noise)
            accelerator.backward(loss)
            opt.step()
        mine = draw(accelerator.unwrap_model(model), args.samples, accelerator.device, gen)
        grid = accelerator.gather(mine)
        if accelerator.is_main_process:
            save_image(grid, f"samples_{epoch}.png", nrow=8, normalize=True)
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(model).state_dict(), "flow.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
