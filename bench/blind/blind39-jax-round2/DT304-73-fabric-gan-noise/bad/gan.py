"""WGAN-GP on Lightning Fabric."""
import argparse

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LATENT = 64


def generator():
    return nn.Sequential(nn.Linear(LATENT, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())


class Critic(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))


def penalty(critic, real, fake):
    mix = torch.rand(real.shape[0], 1, device=real.device)
    point = (mix * real + (1 - mix) * fake).requires_grad_(True)
    (slope,) = torch.autograd.grad(critic(point).sum(), point, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=3407)
    args = parser.parse_args()

    fabric = L.Fabric(accelerator="cuda", devices=args.devices, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(args.seed)
    gen, critic = generator(), Critic()
    opt_g = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    gen, opt_g = fabric.setup(gen, opt_g)
    critic, opt_c = fabric.setup(critic, opt_c)
    data = TensorDataset(torch.load("digits.pt", map_location="cpu").flatten(1))
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=128, shuffle=True, drop_last=True))

    for epoch in range(args.epochs):
        for step, (real,) in enumerate(loader):
            z = torch.randn(real.shape[0], LATENT, device=fabric.device)
            fake = gen(z).detach()
            loss_c = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
            opt_c.zero_grad()
            fabric.backward(loss_c)
            opt_c.step()
            if step % 5 == 0:
                loss_g = -critic(gen(torch.randn_like(z))).mean()
                opt_g.zero_grad()
                fabric.backward(loss_g)
                opt_g.step()
        fabric.print(f"epoch {epoch}: critic {loss_c.item():.3f} (rank 0)")
    fabric.save("gan.ckpt", {"gen": gen, "critic": critic})


if __name__ == "__main__":
    main()
