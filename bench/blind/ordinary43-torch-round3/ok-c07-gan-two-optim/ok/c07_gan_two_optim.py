"""GAN, two DDP models, R1 penalty now and then, sampling grids on rank 0 with the bare generator."""
import os

import torch
import torch.distributed as dist
import torchvision
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import ImageFolder

Z = 128


def requires_grad(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)


def sample_data(loader, sampler):
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        for images, _ in loader:
            yield images
        epoch += 1


class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(Z, 512), nn.LeakyReLU(0.2), nn.Linear(512, 3 * 32 * 32), nn.Tanh())

    def forward(self, z):
        return self.net(z).view(-1, 3, 32, 32)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 512), nn.LeakyReLU(0.2), nn.Linear(512, 1))

    def forward(self, x):
        return self.net(x)


def reduce_loss_dict(losses):
    with torch.no_grad():
        keys = sorted(losses)
        values = torch.stack([losses[k] for k in keys])
        dist.reduce(values, dst=0)
        if dist.get_rank() == 0:
            values /= dist.get_world_size()
        return dict(zip(keys, values))


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    torch.manual_seed(dist.get_rank())
    generator, discriminator = G().to(device), D().to(device)
    g_ema = G().to(device).eval()
    g_model = DDP(generator, device_ids=[local], broadcast_buffers=False)
    d_model = DDP(discriminator, device_ids=[local], broadcast_buffers=False)
    g_ema.load_state_dict(generator.state_dict())
    g_optim = torch.optim.Adam(g_model.parameters(), 2e-3, betas=(0, 0.99))
    d_optim = torch.optim.Adam(d_model.parameters(), 2e-3, betas=(0, 0.99))
    data = ImageFolder("faces", transforms.Compose([transforms.Resize((32, 32)), transforms.ToTensor()]))
    sampler = DistributedSampler(data, shuffle=True)
    loader = sample_data(DataLoader(data, 16, sampler=sampler, drop_last=True), sampler)
    fixed = torch.randn(64, Z, device=device)
    if dist.get_rank() == 0:
        os.makedirs("sample", exist_ok=True)
    for i in range(100_000):
        real = next(loader).to(device)
        requires_grad(generator, False)
        requires_grad(discriminator, True)
        fake = g_model(torch.randn(len(real), Z, device=device))
        d_loss = nn.functional.softplus(d_model(fake)).mean() + nn.functional.softplus(-d_model(real)).mean()
        d_optim.zero_grad()
        d_loss.backward()
        d_optim.step()
        requires_grad(generator, True)
        requires_grad(discriminator, False)
        g_loss = nn.functional.softplus(-d_model(g_model(torch.randn(len(real), Z, device=device)))).mean()
        g_optim.zero_grad()
        g_loss.backward()
        g_optim.step()
        with torch.no_grad():
            for a, b in zip(g_ema.parameters(), generator.parameters()):
                a.mul_(0.999).add_(b, alpha=0.001)
        shown = reduce_loss_dict({"d": d_loss.detach(), "g": g_loss.detach()})
        if dist.get_rank() == 0:
            if i % 100 == 0:
                print(i, {k: round(v.item(), 3) for k, v in shown.items()})
                with torch.no_grad():
                    torchvision.utils.save_image(g_ema(fixed), f"sample/{i:06d}.png", nrow=8, normalize=True)
            if i % 10_000 == 0:
                torch.save({"g": generator.state_dict(), "d": discriminator.state_dict(), "g_ema": g_ema.state_dict()}, f"{i:06d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
