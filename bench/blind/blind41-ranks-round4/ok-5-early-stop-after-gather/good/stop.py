import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, patience=3):
        super().__init__()
        self.net = nn.Linear(14, 1)
        self.best, self.waited, self.patience = float("inf"), 0, patience
        self.losses = []

    def training_step(self, batch, batch_idx):
        return F.mse_loss(self.net(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        self.losses.append(F.mse_loss(self.net(batch[0]), batch[1]))

    def on_validation_epoch_end(self):
        mean = self.all_gather(torch.stack(self.losses)).mean().item()
        self.losses.clear()
        if mean < self.best:
            self.best, self.waited = mean, 0
        else:
            self.waited += 1
        if self.waited > self.patience:
            self.trainer.should_stop = True

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def part(seed, n):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 14, generator=gen)
    return TensorDataset(x, x.mean(1, keepdim=True))


if __name__ == "__main__":
    L.seed_everything(2)
    trainer = L.Trainer(max_epochs=100, devices=2, accelerator="gpu", strategy="ddp")
    trainer.fit(Net(), DataLoader(part(0, 1280), batch_size=32, shuffle=True, drop_last=True), DataLoader(part(1, 256), batch_size=32))
