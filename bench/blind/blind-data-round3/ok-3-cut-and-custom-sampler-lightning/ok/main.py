import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Sampler, TensorDataset


class Weighted(Sampler):
    """Draws by weight, each rank its own part of one draw."""

    def __init__(self, weights, rank, world, seed=0):
        self.weights, self.rank, self.world, self.seed, self.epoch = weights, rank, world, seed, 0
        self.each = len(weights) // world

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        drawn = torch.multinomial(self.weights, self.each * self.world, replacement=True, generator=g)
        return iter(drawn[self.rank :: self.world].tolist())

    def __len__(self):
        return self.each


class Rare(L.LightningDataModule):
    def setup(self, stage=None):
        x = torch.randn(600, 6, generator=torch.Generator().manual_seed(0))
        self.data = TensorDataset(x, (x[:, 0] > 1.5).float())

    def train_dataloader(self):
        weights = torch.where(self.data.tensors[1] > 0, 10.0, 1.0)
        sampler = Weighted(weights, self.trainer.global_rank, self.trainer.world_size)
        return DataLoader(self.data, batch_size=20, sampler=sampler, drop_last=True)


class Detector(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(6, 1)

    def training_step(self, batch, _):
        x, y = batch
        return F.binary_cross_entropy_with_logits(self.lin(x)[:, 0], y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(1, workers=True)
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=2, logger=False, use_distributed_sampler=False
    )
    trainer.fit(Detector(), datamodule=Rare())
