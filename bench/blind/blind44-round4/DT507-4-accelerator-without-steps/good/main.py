import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from acl.opts import parse
from acl.setup import start


def main():
    args = parse()
    accelerator = start(args)
    model = nn.Linear(10, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(4096, 10, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x, x[:, :1]), 8, shuffle=True, drop_last=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for _ in range(args.epochs):
        for a, b in loader:
            with accelerator.accumulate(model):
                accelerator.backward(nn.functional.mse_loss(model(a), b))
                opt.step()
                opt.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
