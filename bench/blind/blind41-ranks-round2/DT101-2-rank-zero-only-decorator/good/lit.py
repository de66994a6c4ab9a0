import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import DataLoader, TensorDataset


class Contrast(L.LightningModule):
    def __init__(self, width=32):
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(24, width), nn.ReLU(), nn.Linear(width, 8))
        self.bank = []

    def training_step(self, batch, batch_idx):
        a, b = batch
        za, zb = F.normalize(self.tower(a), dim=1), F.normalize(self.tower(b), dim=1)
        logits = za @ zb.t() / 0.1
        loss = F.cross_entropy(logits, torch.arange(len(a), device=self.device))
        if batch_idx < 4:
            self.bank.append(za.detach())
        return loss

    def spread(self):
        everyone = self.all_gather(torch.cat(self.bank)).flatten(0, 1)
        self.print("spread of the embeddings", everyone.std(dim=0).mean().item())

    def on_train_epoch_end(self):
        self.spread()
        self.bank.clear()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(3)
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(2048, 24, generator=gen)
    data = TensorDataset(x, x + 0.1 * torch.randn(x.shape, generator=gen))
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True)
    trainer = L.Trainer(max_epochs=3, accelerator="gpu", devices=4, strategy="ddp", enable_checkpointing=False)
    trainer.fit(Contrast(), loader)


if __name__ == "__main__":
    main()
