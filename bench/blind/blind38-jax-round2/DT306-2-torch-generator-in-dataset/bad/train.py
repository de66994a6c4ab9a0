import argparse

import lightning as L
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, Dataset


class RandomWindows(Dataset):
    """Windows at random places of long recordings; the index only chooses the recording."""

    def __init__(self, recordings, window, seed):
        self.recordings = recordings
        self.window = window
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self):
        return 64 * len(self.recordings)

    def __getitem__(self, index):
        recording = self.recordings[index % len(self.recordings)]
        last = recording.size(-1) - self.window
        start = int(torch.randint(0, last + 1, (1,), generator=self.generator))
        piece = recording[..., start : start + self.window]
        return piece[:-1], piece[1:]


class Predictor(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.rnn = nn.GRU(1, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def training_step(self, batch, _):
        past, future = batch
        hidden, _ = self.rnn(past.unsqueeze(-1))
        loss = nn.functional.mse_loss(self.head(hidden).squeeze(-1), future)
        self.log("loss", loss, sync_dist=True, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recordings", default="recordings.pt")
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    L.seed_everything(5)
    recordings = torch.load(args.recordings, map_location="cpu")
    data = RandomWindows(recordings, window=513, seed=5)
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True, num_workers=8, persistent_workers=True)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=-1,
        strategy=DDPStrategy(static_graph=True),
        max_epochs=args.epochs,
        gradient_clip_val=1.0,
    )
    trainer.fit(Predictor(128), loader)


if __name__ == "__main__":
    main()
