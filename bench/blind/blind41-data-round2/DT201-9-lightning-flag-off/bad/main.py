import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn

from data import Tabular


class Regressor(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(18, 64), nn.SiLU(), nn.Linear(64, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x)[:, 0], y)
        self.log("train/loss", loss, prog_bar=True, sync_dist=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(1, workers=True)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=4,
        num_nodes=2,
        strategy="ddp",
        max_epochs=10,
        callbacks=[ModelCheckpoint(monitor="train/loss_epoch")],
        use_distributed_sampler=False,
    )
    trainer.fit(Regressor(), datamodule=Tabular())


if __name__ == "__main__":
    main()
