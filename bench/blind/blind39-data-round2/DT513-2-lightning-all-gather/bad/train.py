import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class TwoViews(Dataset):
    def __init__(self, n=8192, dim=40):
        gen = torch.Generator().manual_seed(61)
        self.base = torch.randn(n, dim, generator=gen)

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        x = self.base[i]
        return x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)


class SimCLR(L.LightningModule):
    def __init__(self, temperature=0.2, lr=5e-4):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 64))

    def embed(self, x):
        return F.normalize(self.encoder(x), dim=-1)

    def gathered(self, z):
        return self.all_gather(z).flatten(0, 1)

    def training_step(self, batch, batch_idx):
        first, second = (self.gathered(self.embed(view)) for view in batch)
        logits = first @ second.t() / self.hparams.temperature
        target = torch.arange(len(logits), device=self.device)
        loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2
        self.log("train/nce", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(5, workers=True)
    trainer = L.Trainer(accelerator="gpu", devices=8, strategy="ddp", max_epochs=10, precision="bf16-mixed")
    trainer.fit(SimCLR(), DataLoader(TwoViews(), batch_size=128, shuffle=True, drop_last=True, num_workers=4))


if __name__ == "__main__":
    main()
