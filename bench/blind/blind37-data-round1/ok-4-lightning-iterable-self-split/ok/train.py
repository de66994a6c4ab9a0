import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger

from data import LinesModule


class Scorer(L.LightningModule):
    def __init__(self, dim=32):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(dim, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))

    def training_step(self, batch, index):
        x, y = batch
        loss = F.mse_loss(self.net(x).squeeze(-1), y)
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    L.seed_everything(9)
    trainer = L.Trainer(
        devices=8,
        accelerator="gpu",
        strategy="ddp",
        max_epochs=5,
        reload_dataloaders_every_n_epochs=1,
        logger=CSVLogger("logs"),
        callbacks=[ModelCheckpoint(monitor="loss", save_last=True)],
    )
    trainer.fit(Scorer(), datamodule=LinesModule("/data/lines"))
