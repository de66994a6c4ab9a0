import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

from callbacks import Throughput
from module import Regressor


def main():
    L.seed_everything(3, workers=True)
    x = torch.randn(4096, 8)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True)
    trainer = L.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, callbacks=[Throughput()], logger=False)
    trainer.fit(Regressor(), loader)


if __name__ == "__main__":
    main()
