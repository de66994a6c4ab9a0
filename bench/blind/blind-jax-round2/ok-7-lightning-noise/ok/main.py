import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class ScoreModel(L.LightningModule):
    def __init__(self, seed, width=32, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(5, width), torch.nn.SiLU(), torch.nn.Linear(width, 4))

    def setup(self, stage):
        self.noise = torch.Generator(self.device).manual_seed(self.hparams.seed + 100 * self.global_rank)

    def training_step(self, batch, _):
        (x,) = batch
        sigma = torch.rand(x.shape[0], 1, generator=self.noise, device=x.device) + 0.01
        eps = torch.randn(x.shape, generator=self.noise, device=x.device)
        loss = F.mse_loss(self.net(torch.cat([x + sigma * eps, sigma], 1)), -eps)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    L.seed_everything(args.seed)
    data = TensorDataset(torch.randn(256, 4, generator=torch.Generator().manual_seed(0)))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    trainer = L.Trainer(
        accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, logger=False, enable_checkpointing=False
    )
    trainer.fit(ScoreModel(args.seed), loader)


if __name__ == "__main__":
    main()
