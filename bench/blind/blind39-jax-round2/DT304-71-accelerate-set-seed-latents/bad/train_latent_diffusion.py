"""Small latent diffusion trainer on Accelerate."""
import argparse
import logging
import math

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = get_logger(__name__)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--latents", default="latents.pt")
    parser.add_argument("--output_dir", default="ldm")
    parser.add_argument("--train_batch_size", type=int, default=32)
    parser.add_argument("--num_train_epochs", type=int, default=10)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


class NoiseSchedule(nn.Module):
    def __init__(self, steps=1000):
        super().__init__()
        t = torch.linspace(0, 1, steps + 1)
        alphas = torch.cos(t * math.pi / 2).square().clamp(min=1e-4)
        self.register_buffer("alphas", alphas[1:])

    def add(self, latents, noise, t):
        a = self.alphas[t].view(-1, 1, 1, 1)
        return a.sqrt() * latents + (1 - a).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self, channels=4, width=64):
        super().__init__()
        self.time = nn.Embedding(1000, width)
        self.enter = nn.Conv2d(channels, width, 3, padding=1)
        self.leave = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, x, t):
        return self.leave(F.silu(self.enter(x) + self.time(t)[:, :, None, None]))


def main():
    args = parse_args()
    accelerator = Accelerator(
        gradient_accumulation_steps=args.gradient_accumulation_steps,
        project_config=ProjectConfiguration(project_dir=args.output_dir, total_limit=2),
    )
    logging.basicConfig(level=logging.INFO)
    set_seed(args.seed)
    data = TensorDataset(torch.load(args.latents, map_location="cpu"))
    loader = DataLoader(data, batch_size=args.train_batch_size, shuffle=True, drop_last=True)
    model, schedule = Denoiser(), NoiseSchedule().to(accelerator.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(args.num_train_epochs):
        model.train()
        for (latents,) in loader:
            with accelerator.accumulate(model):
                noise = torch.randn_like(latents)
                t = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
                loss = F.mse_loss(model(schedule.add(latents, noise, t), t), noise)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        logger.info("epoch %d done", epoch)
        accelerator.save_state(f"{args.output_dir}/epoch_{epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
