import lightning as L
import torch
import torch.nn.functional as F

from data import TableData


class Plain(L.LightningModule):
    def __init__(self, dim=8):
        super().__init__()
        self.save_hyperparameters()
        self.lin = torch.nn.Linear(dim, dim)

    def training_step(self, rows, index):
        loss = F.mse_loss(self.lin(rows), rows)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(0, workers=True)
    trainer = L.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=2, logger=False)
    trainer.fit(Plain(), datamodule=TableData())
