import argparse
import datetime
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from torch.utils.data import DataLoader, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=None)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-3)
    return parser.parse_args()


def settle_folder(args):
    if args.out is None:
        stamp = [datetime.datetime.now().strftime("%Y-%m-%d_%H-%M-%S")]
        broadcast_object_list(stamp)
        args.out = os.path.join("runs", stamp[0])
    return args.out


def main():
    args = parse()
    accelerator = Accelerator(cpu=not torch.cuda.is_available())
    out = settle_folder(args)
    torch.manual_seed(0)
    x = torch.randn(320, 9, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.var(1)), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Dropout(0.1), nn.Linear(18, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for rows, target in loader:
            loss = F.mse_loss(model(rows)[:, 0], target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.save_state(os.path.join(out, f"epoch{epoch}"))
    accelerator.print("states below", out)
    accelerator.end_training()


if __name__ == "__main__":
    main()
