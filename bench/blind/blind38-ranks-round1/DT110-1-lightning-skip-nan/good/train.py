import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self, n=3000, length=128, seed=13):
        gen = torch.Generator().manual_seed(seed)
        phase = torch.rand(n, 1, generator=gen) * 6.28
        self.x = torch.sin(torch.linspace(0, 12, length) + phase) + 0.1 * torch.randn(n, length, generator=gen)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i, :-1].unsqueeze(-1), self.x[i, 1:].unsqueeze(-1)


class Forecaster(L.LightningModule):
    def __init__(self, hidden=64, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.LSTM(1, hidden, batch_first=True)
        self.mean = nn.Linear(hidden, 1)
        self.log_scale = nn.Linear(hidden, 1)
        self.skipped = 0

    def negative_log_likelihood(self, x, y):
        hidden, _ = self.rnn(x)
        log_scale = self.log_scale(hidden)
        return (0.5 * ((y - self.mean(hidden)) / log_scale.exp()) ** 2 + log_scale).mean()

    def training_step(self, batch, batch_idx):
        loss = self.negative_log_likelihood(*batch)
        broken = self.trainer.strategy.reduce_boolean_decision(not torch.isfinite(loss), all=False)
        if broken:
            self.skipped += 1
            return None
        self.log("train_nll", loss, on_step=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_nll", self.negative_log_likelihood(*batch), sync_dist=True)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=30)}


def main():
    L.seed_everything(5, workers=True)
    train = DataLoader(Waves(), batch_size=50, shuffle=True, num_workers=2, drop_last=True)
    valid = DataLoader(Waves(400, seed=14), batch_size=50, num_workers=2)
    trainer = L.Trainer(devices=4, strategy="ddp", max_epochs=30, gradient_clip_val=1.0)
    trainer.fit(Forecaster(), train, valid)


if __name__ == "__main__":
    main()
