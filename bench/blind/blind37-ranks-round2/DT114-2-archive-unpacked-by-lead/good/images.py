import argparse
import tarfile
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.pt"))
        if not self.files:
            raise FileNotFoundError(f"no patches in {folder}")

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        patch = torch.load(self.files[i], map_location="cpu")
        return patch["pixels"], patch["label"]


def unpack(archive, scratch):
    target = Path(scratch) / "patches"
    if not target.exists():
        part = target.with_suffix(".part")
        with tarfile.open(archive) as tar:
            tar.extractall(part, filter="data")
        part.rename(target)
    return target


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("archive")
    ap.add_argument("--scratch", default="/tmp/scratch")
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()
    accelerator = Accelerator()
    set_seed(2)
    folder = Path(args.scratch) / "patches"
    if accelerator.is_local_main_process:
        unpack(args.archive, args.scratch)
    accelerator.wait_for_everyone()
    data = Patches(folder)
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True, num_workers=2)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net, opt, loader = accelerator.prepare(net, opt, loader)
    for epoch in range(args.epochs):
        for pixels, label in loader:
            loss = nn.functional.cross_entropy(net(pixels), label)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save(accelerator.unwrap_model(net).state_dict(), "patches.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
