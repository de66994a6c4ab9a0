import json

import lightning as L
import torch
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Notes(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        norm = pl_module.layer.weight.detach().norm()
        spread = pl_module.all_gather(norm).std()
        self.store(trainer.current_epoch, float(spread))

    @rank_zero_only
    def store(self, epoch, spread):
        with open("notes.jsonl", "a") as file:
            file.write(json.dumps([epoch, spread]) + "\n")


if __name__ == "__main__":
    L.seed_everything(0)
    loader = DataLoader(TensorDataset(torch.randn(256, 8)), 16, shuffle=True)
    L.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=2, callbacks=[Notes()], logger=False).fit(Net(), loader)
