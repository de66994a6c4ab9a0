import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(18, 36), nn.ReLU(), nn.Linear(36, 1))

    def training_step(self, batch, batch_idx):
        return F.mse_loss(self.net(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        loss = F.mse_loss(self.net(batch[0]), batch[1])
        self.log("val_loss", loss, prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def part(seed, n):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 18, generator=gen)
    return TensorDataset(x, x.max(1, keepdim=True).values)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=30,
        devices=4,
        accelerator="gpu",
        strategy="ddp",
        callbacks=[ModelCheckpoint(monitor="val_loss"), EarlyStopping(monitor="val_loss", patience=3)],
    )
    trainer.fit(Net(), DataLoader(part(1, 3600), batch_size=36, shuffle=True, drop_last=True), DataLoader(part(2, 720), batch_size=36))
