import argparse

import numpy as np
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

from transforms import Compose, SpecAugment, log_compress


class KeywordClips(Dataset):
    def __init__(self, path, transform):
        archive = np.load(path)
        self.mels, self.labels = archive["mels"], archive["labels"]
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        mel = self.transform(self.mels[index])
        return torch.from_numpy(mel.astype(np.float32)), int(self.labels[index])


class KeywordNet(nn.Module):
    def __init__(self, mels=40, classes=35):
        super().__init__()
        self.conv = nn.Conv1d(mels, 128, 5, stride=2, padding=2)
        self.rnn = nn.GRU(128, 128, batch_first=True)
        self.head = nn.Linear(128, classes)

    def forward(self, mel):
        x = F.relu(self.conv(mel)).transpose(1, 2)
        out, _ = self.rnn(x)
        return self.head(out[:, -1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clips", default="clips.npz")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--workers", type=int, default=6)
    args = parser.parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(1234)
    augment = Compose(log_compress, SpecAugment(8, 25, seed=1234 + accelerator.process_index))
    loader = DataLoader(
        KeywordClips(args.clips, augment),
        batch_size=128,
        shuffle=True,
        num_workers=args.workers,
        drop_last=True,
    )
    model = KeywordNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for mel, label in loader:
            loss = F.cross_entropy(model(mel), label)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            torch.save(accelerator.unwrap_model(model).state_dict(), f"kws_{epoch}.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
