import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

COMMON = {"batch_size": 32, "num_workers": 4, "persistent_workers": True, "pin_memory": True}


def loaders(train, valid):
    quick = {**COMMON, "num_workers": 0, "persistent_workers": False}
    return DataLoader(train, shuffle=True, drop_last=True, **COMMON), DataLoader(valid, **quick)


def main():
    accelerator = Accelerator()
    set_seed(0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1200, 7, generator=gen)
    y = x.sum(1, keepdim=True)
    train, valid = loaders(TensorDataset(x[:1000], y[:1000]), TensorDataset(x[1000:], y[1000:]))
    model = nn.Linear(7, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model, opt, train, valid = accelerator.prepare(model, opt, train, valid)
    for epoch in range(3):
        for a, b in train:
            accelerator.backward(nn.functional.mse_loss(model(a), b))
            opt.step()
            opt.zero_grad()
        with torch.no_grad():
            errors = [accelerator.gather_for_metrics((model(a) - b).abs()) for a, b in valid]
        accelerator.print(epoch, torch.cat(errors).mean().item())
    accelerator.end_training()


if __name__ == "__main__":
    main()
