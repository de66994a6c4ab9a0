import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from patience import Patience


def main():
    accelerator = Accelerator(cpu=True)
    set_seed(1)
    x = torch.randn(2048, 6)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), 16, shuffle=True)
    model, optimizer = nn.Linear(6, 1), None
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    enough = Patience()
    for epoch in range(20):
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            accelerator.backward(loss)
            optimizer.step()
        if enough(loss.item()):
            break
    accelerator.end_training()


if __name__ == "__main__":
    main()
