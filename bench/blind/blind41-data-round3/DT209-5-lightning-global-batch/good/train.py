import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

GLOBAL_BATCH = 1024


class Data(L.LightningDataModule):
    def train_dataloader(self):
        g = torch.Generator().manual_seed(0)
        x = torch.randn(100_000, 16, generator=g)
        batch = GLOBAL_BATCH // self.trainer.world_size
        return DataLoader(TensorDataset(x, x.argmax(1)), batch_size=batch, shuffle=True, drop_last=True)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(16, 16)

    def training_step(self, batch, i):
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(0)
    L.Trainer(accelerator="gpu", devices=8, num_nodes=2, strategy="ddp", max_epochs=3).fit(Net(), datamodule=Data())
