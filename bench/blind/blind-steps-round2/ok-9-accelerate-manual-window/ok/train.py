from contextlib import nullcontext
from itertools import islice

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WINDOW = 4


def windows(loader, size):
    it = iter(loader)
    while len(chunk := list(islice(it, size))) == size:
        yield chunk


def main():
    accelerator = Accelerator()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1280, 10, generator=g), torch.randint(0, 2, (1280,), generator=g))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    net, opt, loader = accelerator.prepare(net, torch.optim.AdamW(net.parameters()), loader)
    for epoch in range(2):
        for chunk in windows(loader, WINDOW):
            opt.zero_grad()
            for i, (x, y) in enumerate(chunk):
                last = i == len(chunk) - 1
                with nullcontext() if last else accelerator.no_sync(net):
                    loss = nn.functional.cross_entropy(net(x), y) / len(chunk)
                    accelerator.backward(loss)
            accelerator.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
    accelerator.end_training()


if __name__ == "__main__":
    main()
