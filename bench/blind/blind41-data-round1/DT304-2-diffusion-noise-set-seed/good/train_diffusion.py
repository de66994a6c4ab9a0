import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from diffusers import DDPMScheduler, UNet2DModel
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def build_loader(batch_size):
    transform = transforms.Compose([transforms.Resize(32), transforms.ToTensor(), transforms.Normalize([0.5], [0.5])])
    images = datasets.ImageFolder("data/flowers", transform)
    return DataLoader(images, batch_size=batch_size, shuffle=True, num_workers=4, drop_last=True)


def main(epochs=20, seed=42):
    accelerator = Accelerator(mixed_precision="fp16")
    set_seed(seed, device_specific=True)
    model = UNet2DModel(sample_size=32, in_channels=3, out_channels=3, block_out_channels=(64, 128, 128))
    scheduler = DDPMScheduler(num_train_timesteps=1000)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, build_loader(32))
    for epoch in range(epochs):
        for images, _ in loader:
            noise = torch.randn_like(images)
            steps = torch.randint(0, 1000, (len(images),), device=images.device)
            noisy = scheduler.add_noise(images, noise, steps)
            loss = F.mse_loss(model(noisy, steps).sample, noise)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            accelerator.unwrap_model(model).save_pretrained(f"out/epoch-{epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
