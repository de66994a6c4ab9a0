import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import LinearLR
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()

    accelerator = Accelerator()
    torch.manual_seed(0)
    net = nn.Linear(18, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2304, 18, generator=g), torch.randint(0, 3, (2304,), generator=g))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)

    total = args.epochs * len(loader)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    schedule = LinearLR(optimizer, start_factor=1.0, end_factor=0.01, total_iters=total)
    schedule = accelerator.prepare(schedule)

    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            accelerator.backward(nn.functional.cross_entropy(net(x), y))
            optimizer.step()
            schedule.step()
        accelerator.print(epoch, schedule.get_last_lr())
    accelerator.end_training()


if __name__ == "__main__":
    main()
