import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    torch.manual_seed(0)
    model = nn.Linear(16, 16)
    opt = torch.optim.AdamW(model.parameters())
    x = torch.randn(8192, 16, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x), 32, shuffle=True, drop_last=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for (x,) in loader:
        opt.zero_grad()
        accelerator.backward((model(x) - x).square().mean())
        opt.step()
    accelerator.end_training()


if __name__ == "__main__":
    main()
