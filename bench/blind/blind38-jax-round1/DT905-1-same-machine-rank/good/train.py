import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    accelerator = Accelerator()
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(4096, 20, generator=gen)
    loader = DataLoader(TensorDataset(x, x.argmax(dim=1)), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 20))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(args.epochs):
        for inputs, labels in loader:
            accelerator.backward(F.cross_entropy(model(inputs), labels))
            optimizer.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "out")
    accelerator.end_training()


if __name__ == "__main__":
    main()
