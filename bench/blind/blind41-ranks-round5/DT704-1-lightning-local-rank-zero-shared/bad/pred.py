import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from torch.utils.data import DataLoader, TensorDataset


class Export(Callback):
    def __init__(self, path):
        self.path = path

    def on_train_end(self, trainer, pl_module):
        if trainer.local_rank == 0:
            torch.save({k: v.cpu() for k, v in pl_module.state_dict().items()}, self.path)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(25, 5)

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(0)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 25, generator=gen), torch.randint(0, 5, (2000,), generator=gen))
    trainer = L.Trainer(
        max_epochs=2, devices=8, num_nodes=2, accelerator="gpu", strategy="ddp", callbacks=[Export("/shared/final.pt")]
    )
    trainer.fit(Net(), DataLoader(data, batch_size=25, shuffle=True, drop_last=True))
