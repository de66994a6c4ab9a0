import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F


class Segmenter(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))

    def _shared(self, batch, stage):
        image, mask = batch
        logits = self.net(image)
        loss = F.cross_entropy(logits, mask)
        overlap = ((logits.argmax(1) == 1) & (mask == 1)).sum((1, 2))
        union = ((logits.argmax(1) == 1) | (mask == 1)).sum((1, 2)).clamp(min=1)
        iou = (overlap / union).mean()
        self.log_dict(
            {f"{stage}_loss": loss, f"{stage}_iou": iou},
            on_step=False,
            on_epoch=True,
        )
        return loss

    def training_step(self, batch, batch_idx):
        return self._shared(batch, "train")

    def validation_step(self, batch, batch_idx):
        self._shared(batch, "val")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
