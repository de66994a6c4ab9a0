import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    torch.manual_seed(0)
    x = torch.randn(640, 4)
    loader = DataLoader(TensorDataset(x), batch_size=16, shuffle=True)
    model = nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for (a,) in loader:
        optimizer.zero_grad()
        accelerator.backward((model(a) - a).square().mean())
        optimizer.step()
    accelerator.end_training()


if __name__ == "__main__":
    main()
