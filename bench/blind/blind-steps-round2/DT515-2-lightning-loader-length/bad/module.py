import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        g = torch.Generator().manual_seed(0)
        self.train = TensorDataset(torch.randn(8192, 12, generator=g), torch.randn(8192, 1, generator=g))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)


class Model(L.LightningModule):
    def __init__(self, max_lr=1e-2):
        super().__init__()
        self.max_lr = max_lr
        self.net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.max_lr)
        total = self.trainer.max_epochs * len(self.trainer.datamodule.train_dataloader())
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.max_lr, total_steps=total)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


if __name__ == "__main__":
    L.seed_everything(1)
    L.Trainer(accelerator="gpu", devices=4, strategy="ddp", max_epochs=10).fit(Model(), datamodule=Data())
