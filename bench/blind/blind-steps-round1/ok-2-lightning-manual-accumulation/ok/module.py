import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, window: int = 4):
        super().__init__()
        self.automatic_optimization = False
        self.window = window
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        last = (batch_idx + 1) % self.window == 0 or batch_idx + 1 == self.trainer.num_training_batches
        x, y = batch
        with opt.toggle_model(sync_grad=last):
            loss = nn.functional.mse_loss(self.net(x), y)
            self.manual_backward(loss / self.window)
            if last:
                self.clip_gradients(opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
                opt.step()
                opt.zero_grad()
        self.log("train/loss", loss, on_step=False, on_epoch=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        g = torch.Generator().manual_seed(0)
        data = TensorDataset(torch.randn(1024, 16, generator=g), torch.randn(1024, 1, generator=g))
        return DataLoader(data, batch_size=16, shuffle=True, drop_last=True)


if __name__ == "__main__":
    L.seed_everything(3, workers=True)
    L.Trainer(accelerator="auto", devices=2, strategy="ddp", max_epochs=2).fit(Regressor(), Data())
