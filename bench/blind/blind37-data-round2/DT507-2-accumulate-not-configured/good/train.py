import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

logger = get_logger(__name__)


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--pictures", default="butterflies")
    p.add_argument("--resolution", type=int, default=128)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--gradient-accumulation-steps", type=int, default=4)
    p.add_argument("--updates", type=int, default=20_000)
    p.add_argument("--mixed-precision", default="fp16")
    p.add_argument("--out", default="ddpm")
    return p.parse_args()


def endless(loader):
    while True:
        yield from loader


def main():
    o = options()
    accelerator = Accelerator(
        mixed_precision=o.mixed_precision,
        gradient_accumulation_steps=o.gradient_accumulation_steps,
        log_with="wandb",
        project_config=ProjectConfiguration(project_dir=o.out, total_limit=3, automatic_checkpoint_naming=True),
    )
    set_seed(0, device_specific=True)
    transform = v2.Compose(
        [v2.Resize(o.resolution), v2.CenterCrop(o.resolution), v2.RandomHorizontalFlip(), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
    )
    loader = DataLoader(ImageFolder(o.pictures, transform), batch_size=o.batch_size, shuffle=True, num_workers=4, drop_last=True)
    unet = UNet2DModel(sample_size=o.resolution, in_channels=3, out_channels=3)
    noise_schedule = DDPMScheduler(num_train_timesteps=1000)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    lr = get_cosine_schedule_with_warmup(optimizer, 500, o.updates)
    accelerator.init_trackers("ddpm", config=vars(o))

    updates = 0
    for picture, _ in endless(loader):
        noise = torch.randn_like(picture)
        t = torch.randint(0, 1000, (picture.shape[0],), device=picture.device)
        noisy = noise_schedule.add_noise(picture, noise, t)
        with accelerator.accumulate(unet):
            loss = F.mse_loss(unet(noisy, t).sample, noise)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(unet.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        if not accelerator.sync_gradients:
            continue
        lr.step()
        updates += 1
        if updates % 100 == 0:
            accelerator.log({"loss": accelerator.reduce(loss.detach(), "mean").item()}, step=updates)
        if updates % 5000 == 0:
            accelerator.save_state()
            logger.info("saved state after %d updates", updates)
        if updates == o.updates:
            break
    accelerator.wait_for_everyone()
    accelerator.save_model(unet, o.out)
    accelerator.end_training()


if __name__ == "__main__":
    main()
