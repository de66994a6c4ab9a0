import lightning as L
import torch
from torch import nn


class Regressor(L.LightningModule):
    def __init__(self, width: int = 8, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 1))
        self.seen = 0.0

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.seen += float(len(x))
        return loss

    def samples_everywhere(self) -> float:
        return float(self.all_gather(torch.tensor(self.seen, device=self.device)).sum())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
