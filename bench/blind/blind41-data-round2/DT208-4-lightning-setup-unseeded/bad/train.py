import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Rows(L.LightningDataModule):
    def __init__(self, path, batch_size=32):
        super().__init__()
        self.path, self.batch_size = path, batch_size

    def setup(self, stage):
        x, y = torch.load(self.path, map_location="cpu")
        whole = TensorDataset(x, y)
        lengths = [len(whole) - len(whole) // 10, len(whole) // 10]
        self.train, self.val = random_split(whole, lengths)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))

    def training_step(self, batch, i):
        x, y = batch
        return nn.functional.cross_entropy(self.body(x), y)

    def validation_step(self, batch, i):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.body(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    trainer = L.Trainer(accelerator="gpu", devices=8, strategy="ddp", max_epochs=20)
    trainer.fit(Net(), datamodule=Rows("rows.pt"))
