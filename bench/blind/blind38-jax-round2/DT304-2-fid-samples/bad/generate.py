"""Draws the images for FID with all GPUs."""
import argparse
from pathlib import Path

import torch
from accelerate import Accelerator
from PIL import Image

from model import Decoder, noise_schedule


@torch.inference_mode()
def denoise(model, latents, steps):
    for sigma, after in noise_schedule(steps):
        latents = latents + (after - sigma) * model(latents, torch.full((len(latents),), sigma, device=latents.device))
    return latents


def to_images(x):
    x = ((x.clamp(-1, 1) + 1) * 127.5).round().to(torch.uint8)
    return [Image.fromarray(image) for image in x.permute(0, 2, 3, 1).cpu().numpy()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="decoder.pt")
    parser.add_argument("--out", type=Path, default=Path("samples"))
    parser.add_argument("--total", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--steps", type=int, default=18)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    accelerator = Accelerator()
    model = Decoder()
    model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    model.to(accelerator.device).eval()
    if accelerator.is_main_process:
        args.out.mkdir(parents=True, exist_ok=True)
    accelerator.wait_for_everyone()
    generator = torch.Generator(device=accelerator.device).manual_seed(args.seed)
    share = args.total // accelerator.num_processes
    first = accelerator.process_index * share
    for at in range(0, share, args.batch):
        size = min(args.batch, share - at)
        latents = torch.randn(size, 3, 32, 32, generator=generator, device=accelerator.device)
        for offset, image in enumerate(to_images(denoise(model, 80.0 * latents, args.steps))):
            image.save(args.out / f"{first + at + offset:06d}.png")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        written = len(list(args.out.glob("*.png")))
        print(f"{written} images in {args.out}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
