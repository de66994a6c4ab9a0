from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import BasePredictionWriter, EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torchmetrics import MeanMetric
from torchmetrics.regression import MeanAbsoluteError


class Molecules(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(count, 60, generator=g)
        self.y = self.x.square().sum(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Writer(BasePredictionWriter):
    def __init__(self, folder):
        super().__init__("epoch")
        self.folder = Path(folder)

    def write_on_epoch_end(self, trainer, module, predictions, batch_indices):
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(predictions, self.folder / f"predictions_{trainer.global_rank}.pt")
        torch.save(batch_indices, self.folder / f"indices_{trainer.global_rank}.pt")


class Energy(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(60, 128), torch.nn.SiLU(), torch.nn.Linear(128, 1))
        self.mean_loss = MeanMetric()
        self.mae = MeanAbsoluteError()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, index):
        x, y = batch
        loss = F.l1_loss(self(x), y)
        self.mean_loss.update(loss.detach(), len(x))
        self.log("train/loss", self.mean_loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.mae.update(self(x), y)
        self.log("val/mae", self.mae)

    def predict_step(self, batch, index):
        return self(batch[0])

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        total = self.trainer.estimated_stepping_batches
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total), "interval": "step"},
        }


class Data(L.LightningDataModule):
    def loader(self, data, train):
        sampler = DistributedSampler(
            data, num_replicas=self.trainer.world_size, rank=self.trainer.global_rank, shuffle=train, drop_last=train, seed=4
        )
        return DataLoader(data, batch_size=64, sampler=sampler, num_workers=4, drop_last=train)

    def train_dataloader(self):
        return self.loader(Molecules(50_000, 1), True)

    def val_dataloader(self):
        return self.loader(Molecules(5_000, 2), False)

    def predict_dataloader(self):
        return self.loader(Molecules(5_000, 3), False)


if __name__ == "__main__":
    L.seed_everything(4, workers=True)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=4,
        num_nodes=2,
        strategy="ddp",
        max_epochs=50,
        use_distributed_sampler=False,
        gradient_clip_val=1.0,
        callbacks=[ModelCheckpoint(monitor="val/mae", save_top_k=1), EarlyStopping("val/mae", patience=5), Writer("predictions")],
    )
    data = Data()
    trainer.fit(Energy(), datamodule=data)
    trainer.predict(datamodule=data, ckpt_path="best")
