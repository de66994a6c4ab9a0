import argparse

import lightning as L
import torch
from torch.nn.functional import softplus
from torch.utils.data import DataLoader, TensorDataset

from models import Critic, Generator


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", default="mnist.pt")
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--batch", type=int, default=128)
    return parser.parse_args()


def main():
    args = parse()
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(args.seed)
    generator, critic = Generator(), Critic()
    g_opt = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    c_opt = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
    generator, g_opt = fabric.setup(generator, g_opt)
    critic, c_opt = fabric.setup(critic, c_opt)
    images = torch.load(args.images, map_location="cpu").flatten(1)
    loader = DataLoader(TensorDataset(images), args.batch, shuffle=True, drop_last=True, num_workers=2)
    loader = fabric.setup_dataloaders(loader)

    noise = torch.Generator(device=fabric.device).manual_seed(args.seed * 1000)

    def latents(count):
        return torch.randn(count, 64, generator=noise, device=fabric.device)

    for epoch in range(args.epochs):
        for (real,) in loader:
            fake = generator(latents(len(real)))
            c_opt.zero_grad()
            fabric.backward((softplus(-critic(real)) + softplus(critic(fake.detach()))).mean())
            c_opt.step()
            g_opt.zero_grad()
            fabric.backward(softplus(-critic(fake)).mean())
            g_opt.step()
        fabric.save(f"gan-{epoch:03d}.ckpt", {"generator": generator, "critic": critic})


if __name__ == "__main__":
    main()
