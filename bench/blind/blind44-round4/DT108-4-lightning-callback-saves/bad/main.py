import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

from lit.keep import KeepEvery
from lit.model import Fit


def main():
    L.seed_everything(0)
    x = torch.randn(512, 8)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 32, shuffle=True)
    trainer = L.Trainer(max_epochs=6, accelerator="gpu", devices=4, strategy="fsdp", callbacks=[KeepEvery("kept", 2)])
    trainer.fit(Fit(), loader)


if __name__ == "__main__":
    main()
