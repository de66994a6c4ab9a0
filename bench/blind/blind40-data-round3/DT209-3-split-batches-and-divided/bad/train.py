import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--global-batch", type=int, default=256, help="samples of all processes in one step")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    return parser.parse_args()


def rows(n=8192):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(n, 50, generator=gen)
    return TensorDataset(x, x[:, ::5].sum(1, keepdim=True))


def main():
    args = parse()
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(split_batches=True))
    set_seed(0)
    loader = DataLoader(rows(), args.global_batch // accelerator.num_processes, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(50, 100), nn.GELU(), nn.Linear(100, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print("epoch", epoch)
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "out")
    accelerator.end_training()


if __name__ == "__main__":
    main()
