import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.utilities import rank_zero_only
from torch import nn


class Classifier(L.LightningModule):
    def __init__(self, classes=5, width=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Linear(width, classes))
        self.confusion = torch.zeros(classes, classes, dtype=torch.long)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.net(x), y)

    def on_validation_epoch_start(self):
        self.confusion.zero_()

    def validation_step(self, batch, batch_idx):
        x, y = batch
        predicted = self.net(x).argmax(1)
        for truth, guess in zip(y.tolist(), predicted.tolist()):
            self.confusion[truth, guess] += 1

    @rank_zero_only
    def on_validation_epoch_end(self):
        total = self.all_gather(self.confusion).sum(0)
        recall = total.diagonal() / total.sum(1).clamp(min=1)
        for label, value in enumerate(recall.tolist()):
            print(f"class {label}: recall {value:.2f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
