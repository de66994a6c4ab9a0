import time

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from torch.utils.data import DataLoader, TensorDataset


class Deadline(Callback):
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        late = time.monotonic() > self.end
        if trainer.strategy.reduce_boolean_decision(late, all=False):
            trainer.should_stop = True


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(20, 2)

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(0)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4000, 20, generator=gen), torch.randint(0, 2, (4000,), generator=gen))
    trainer = L.Trainer(max_epochs=1000, devices=4, accelerator="gpu", strategy="ddp", callbacks=[Deadline(3600)])
    trainer.fit(Net(), DataLoader(data, batch_size=40, shuffle=True, drop_last=True))
