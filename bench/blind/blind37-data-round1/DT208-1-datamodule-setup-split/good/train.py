import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from torchmetrics.classification import MulticlassAUROC
from torchvision.models import resnet50

from datamodule import SlideData


class Grader(L.LightningModule):
    def __init__(self, classes=4, lr=1e-4):
        super().__init__()
        self.net = resnet50(num_classes=classes)
        self.auroc = MulticlassAUROC(classes)
        self.lr = lr

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.net(x)
        self.auroc(logits, y)
        self.log("val_auroc", self.auroc, on_epoch=True)
        self.log("val_loss", F.cross_entropy(logits, y), on_epoch=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr)


def main():
    trainer = L.Trainer(
        accelerator="gpu",
        devices=4,
        strategy="ddp",
        sync_batchnorm=True,
        max_epochs=30,
        callbacks=[ModelCheckpoint(monitor="val_auroc", mode="max", save_top_k=2)],
    )
    trainer.fit(Grader(), datamodule=SlideData("slides.csv"))


if __name__ == "__main__":
    main()
