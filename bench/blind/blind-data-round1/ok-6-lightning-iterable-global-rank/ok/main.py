import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint

from data import SynthData


class Notes(Callback):
    def on_train_epoch_end(self, trainer, module):
        if trainer.is_global_zero:
            print("epoch", trainer.current_epoch, float(trainer.callback_metrics["train/loss"]))


class Sum(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(10, 1)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.mse_loss(self.net(x)[:, 0], y)
        self.log("train/loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val/loss", F.mse_loss(self.net(x)[:, 0], y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


if __name__ == "__main__":
    L.seed_everything(3)
    best = ModelCheckpoint(dirpath="best", monitor="val/loss", save_top_k=1)
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=2, logger=False,
        callbacks=[Notes(), best], enable_progress_bar=False,
    )
    trainer.fit(Sum(), datamodule=SynthData())
