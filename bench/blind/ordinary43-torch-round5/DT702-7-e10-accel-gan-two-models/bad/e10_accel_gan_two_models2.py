"""Accelerate with two models, two optimizers, custom checkpoint hooks, EMA and images."""
import copy
import os
import shutil

import torch
import torchvision
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from tqdm.auto import tqdm


def net(i, o):
    return nn.Sequential(nn.Linear(i, 256), nn.LeakyReLU(0.2), nn.Linear(256, o))


def prune(folder, keep, accelerator):
    old = sorted((d for d in os.listdir(folder) if d.startswith("step")), key=lambda d: int(d[4:]))[:-keep]
    for d in old:
        shutil.rmtree(os.path.join(folder, d))


def main():
    kwargs = DistributedDataParallelKwargs(broadcast_buffers=False)
    accelerator = Accelerator(kwargs_handlers=[kwargs], log_with="wandb")
    set_seed(0, device_specific=True)
    g, d = net(64, 784), net(784, 1)
    ema = copy.deepcopy(g)
    g_opt, d_opt = torch.optim.Adam(g.parameters(), 2e-4, betas=(0.5, 0.999)), torch.optim.Adam(d.parameters(), 2e-4)
    with accelerator.local_main_process_first():
        data = datasets.MNIST("data", download=True, transform=transforms.ToTensor())
    loader = DataLoader(data, 64, shuffle=True, drop_last=True, num_workers=4)
    g, d, g_opt, d_opt, loader = accelerator.prepare(g, d, g_opt, d_opt, loader)
    ema.to(accelerator.device).requires_grad_(False)
    accelerator.register_for_checkpointing(ema)
    if accelerator.is_main_process:
        os.makedirs("gan", exist_ok=True)
    accelerator.init_trackers("gan")
    bce = nn.BCEWithLogitsLoss()
    step = 0
    for epoch in range(10):
        for real, _ in tqdm(loader, disable=not accelerator.is_main_process):
            real = real.flatten(1) * 2 - 1
            z = torch.randn(len(real), 64, device=accelerator.device)
            ones = torch.ones(len(real), 1, device=accelerator.device)
            fake = g(z)
            d_loss = bce(d(real), ones) + bce(d(fake.detach()), torch.zeros_like(ones))
            d_opt.zero_grad()
            accelerator.backward(d_loss)
            d_opt.step()
            g_loss = bce(d(fake), ones)
            g_opt.zero_grad()
            accelerator.backward(g_loss)
            g_opt.step()
            with torch.no_grad():
                for a, b in zip(ema.parameters(), accelerator.unwrap_model(g).parameters()):
                    a.lerp_(b, 0.01)
            step += 1
            if step % 100 == 0:
                losses = accelerator.reduce(torch.stack([d_loss.detach(), g_loss.detach()]), reduction="mean")
                accelerator.log({"d": losses[0].item(), "g": losses[1].item()}, step=step)
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            with torch.no_grad():
                images = ema(torch.randn(64, 64, device=accelerator.device)).view(-1, 1, 28, 28)
            torchvision.utils.save_image(images, f"gan/{epoch}.png", normalize=True)
        accelerator.save_state(f"gan/step{step}")
        prune("gan", 3, accelerator)
    accelerator.end_training()


if __name__ == "__main__":
    main()
