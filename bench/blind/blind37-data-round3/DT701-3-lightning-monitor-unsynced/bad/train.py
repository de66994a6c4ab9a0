import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


def tables(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 30, generator=g)
    return TensorDataset(x, (x[:, 0] - x[:, 1] > 0).float())


class Odds(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(30, 60), torch.nn.ReLU(), torch.nn.Linear(60, 1))
        self.outputs = []

    def training_step(self, batch, index):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self.net(x).squeeze(1), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.outputs.append(((self.net(x).squeeze(1) > 0).float() == y).float())

    def on_validation_epoch_end(self):
        accuracy = torch.cat(self.outputs).mean()
        self.outputs.clear()
        self.log("val_accuracy", accuracy, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(2)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=4,
        strategy="ddp",
        max_epochs=60,
        callbacks=[ModelCheckpoint(monitor="val_accuracy", mode="max"), EarlyStopping("val_accuracy", mode="max", patience=8)],
    )
    train = DataLoader(tables(40_000, 1), batch_size=128, shuffle=True, num_workers=4, drop_last=True)
    val = DataLoader(tables(4_000, 2), batch_size=128, num_workers=4)
    trainer.fit(Odds(), train, val)


if __name__ == "__main__":
    main()
