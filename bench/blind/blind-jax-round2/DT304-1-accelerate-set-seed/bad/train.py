import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

from unet import PointUNet, Schedule


def points(n=512, dim=8):
    generator = torch.Generator().manual_seed(7)
    return TensorDataset(torch.randn(n, dim, generator=generator) * 0.3 + 1.0)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--train-batch-size", type=int, default=16)
    parser.add_argument("--max-epochs", type=int, default=2)
    parser.add_argument("--max-grad-norm", type=float, default=1.0)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=1)
    set_seed(args.seed)
    model, schedule = PointUNet(), Schedule().to(accelerator.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(points(), batch_size=args.train_batch_size, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.max_epochs):
        model.train()
        for (latents,) in loader:
            with accelerator.accumulate(model):
                noise = torch.randn_like(latents)
                t = torch.randint(0, schedule.steps, (latents.shape[0],), device=latents.device)
                pred = model(schedule.add_noise(latents, noise, t), t)
                loss = F.mse_loss(pred, noise)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                optimizer.zero_grad()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save(accelerator.unwrap_model(model).state_dict(), "unet.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
