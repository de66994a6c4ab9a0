import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, n=1536):
        gen = torch.Generator().manual_seed(31)
        self.images = torch.rand(n, 3, 24, 24, generator=gen)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i]


class AutoEncoder(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), nn.GELU(), nn.Conv2d(width, width, 4, 2, 1))
        self.up = nn.Sequential(
            nn.ConvTranspose2d(width, width, 4, 2, 1), nn.GELU(), nn.ConvTranspose2d(width, 3, 4, 2, 1)
        )

    def forward(self, x):
        return self.up(self.down(x))


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output-dir", default="ae")
    parser.add_argument("--train-batch-size", type=int, default=8)
    parser.add_argument("--gradient-accumulation-steps", type=int, default=4)
    parser.add_argument("--num-epochs", type=int, default=3)
    parser.add_argument("--max-grad-norm", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator(
        mixed_precision="no",
        project_config=ProjectConfiguration(project_dir=args.output_dir),
    )
    set_seed(args.seed)
    model = AutoEncoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Patches(), batch_size=args.train_batch_size, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    steps_per_epoch = len(loader) // args.gradient_accumulation_steps
    accelerator.print(f"optimizer steps per epoch: {steps_per_epoch}")
    for epoch in range(args.num_epochs):
        model.train()
        for images in loader:
            with accelerator.accumulate(model):
                loss = F.mse_loss(model(images), images)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                optimizer.zero_grad()
        mean = accelerator.gather(loss.detach().reshape(1)).mean()
        accelerator.print(f"epoch {epoch} {mean.item():.4f}")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), "autoencoder.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
