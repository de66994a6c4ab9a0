import lightning as L
import torch
import torch.nn as nn
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 1))

    def _loss(self, batch):
        x, y = batch
        return nn.functional.huber_loss(self.net(x).squeeze(1), y)

    def training_step(self, batch, _):
        loss = self._loss(batch)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        self.log("val_loss", self._loss(batch), on_epoch=True, prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


def loaders(batch=64):
    sets = {n: TensorDataset(*torch.load(f"{n}.pt", map_location="cpu")) for n in ("train", "valid")}
    return DataLoader(sets["train"], batch, shuffle=True, drop_last=True), DataLoader(sets["valid"], batch)


def main():
    L.seed_everything(0)
    train, valid = loaders()
    best = ModelCheckpoint(monitor="val_loss", mode="min", save_top_k=1)
    trainer = L.Trainer(accelerator="gpu", devices=8, num_nodes=2, strategy="ddp", max_epochs=30, callbacks=[best])
    trainer.fit(Regressor(), train, valid)
    if trainer.is_global_zero:
        print("best", best.best_model_path)


if __name__ == "__main__":
    main()
