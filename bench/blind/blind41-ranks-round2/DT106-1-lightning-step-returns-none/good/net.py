import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Pointer(L.LightningModule):
    def __init__(self, width=64):
        super().__init__()
        self.save_hyperparameters()
        layer = nn.TransformerEncoderLayer(width, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.score = nn.Linear(width, 1)

    def loss(self, x, y):
        return F.cross_entropy(self.score(self.encoder(x)).squeeze(-1), y)

    def training_step(self, batch, batch_idx):
        x, y = batch
        try:
            loss = self.loss(x, y)
        except RuntimeError as error:
            print(f"batch {batch_idx} failed: {error}")
            raise
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4)


if __name__ == "__main__":
    L.seed_everything(4)
    gen = torch.Generator().manual_seed(4)
    data = TensorDataset(torch.randn(1024, 20, 64, generator=gen), torch.randint(0, 20, (1024,), generator=gen))
    L.Trainer(max_epochs=3, accelerator="gpu", devices=8, strategy="ddp", gradient_clip_val=1.0).fit(
        Pointer(), DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    )
