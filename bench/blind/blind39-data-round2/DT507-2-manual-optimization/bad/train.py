import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Inpainter(L.LightningModule):
    def __init__(self, window=4, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.net = nn.Sequential(nn.Conv2d(2, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1))

    def mask(self, images):
        columns = torch.arange(images.shape[-1], device=images.device)
        return (columns % 3 > 0).expand_as(images).float()

    def training_step(self, batch, batch_idx):
        (images,) = batch
        keep = self.mask(images)
        filled = self.net(torch.cat([images * keep, keep], dim=1))
        loss = F.l1_loss(filled, images)
        self.manual_backward(loss)
        if (batch_idx + 1) % self.hparams.window == 0:
            optimizer = self.optimizers()
            self.clip_gradients(optimizer, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
            optimizer.step()
            optimizer.zero_grad()
        self.log("train/l1", loss, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(1, workers=True)
    gen = torch.Generator().manual_seed(18)
    images = TensorDataset(torch.rand(4096, 1, 28, 28, generator=gen))
    trainer = L.Trainer(accelerator="gpu", devices=2, strategy="ddp", max_epochs=4)
    trainer.fit(Inpainter(), DataLoader(images, batch_size=32, shuffle=True, drop_last=True, num_workers=2))


if __name__ == "__main__":
    main()
