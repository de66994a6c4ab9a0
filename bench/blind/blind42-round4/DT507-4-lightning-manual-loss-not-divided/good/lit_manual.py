import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(L.LightningModule):
    def __init__(self, width=64, window=8):
        super().__init__()
        self.automatic_optimization = False
        self.window = window
        self.net = nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, width))

    def training_step(self, batch, number):
        (x,) = batch
        optimizer = self.optimizers()
        loss = nn.functional.mse_loss(self.net(x), x)
        self.manual_backward(loss / self.window)
        if (number + 1) % self.window == 0:
            self.clip_gradients(optimizer, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
            optimizer.step()
            optimizer.zero_grad()
        self.log("train/loss", loss, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(1, workers=True)
    data = TensorDataset(torch.load("codes.pt", map_location="cpu"))
    whole = len(data) // (32 * 8 * 2) * (32 * 8 * 2)
    data = torch.utils.data.Subset(data, range(whole))
    loader = DataLoader(data, 32, shuffle=True, num_workers=2, drop_last=True)
    trainer = L.Trainer(accelerator="gpu", devices=2, strategy="ddp", max_epochs=5)
    trainer.fit(Autoencoder(), loader)


if __name__ == "__main__":
    main()
