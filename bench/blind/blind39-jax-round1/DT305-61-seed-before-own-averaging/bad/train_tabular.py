import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from common.dist_utils import average_gradients, fix_seeds, process_group


def build_model(features, width=64):
    return nn.Sequential(
        nn.Linear(features, width),
        nn.ReLU(),
        nn.Dropout(0.1),
        nn.Linear(width, 1),
    )


def load_table(path):
    blob = torch.load(path, map_location="cpu")
    return TensorDataset(blob["features"], blob["target"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="table.pt")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()

    with process_group("gloo") as (rank, world):
        fix_seeds(args.seed + rank)
        table = load_table(args.table)
        model = build_model(table.tensors[0].shape[1])
        sampler = DistributedSampler(table, num_replicas=world, rank=rank, seed=args.seed, drop_last=True)
        loader = DataLoader(table, batch_size=128, sampler=sampler, drop_last=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            for features, target in loader:
                optimizer.zero_grad(set_to_none=True)
                nn.functional.mse_loss(model(features).squeeze(-1), target).backward()
                average_gradients(model.parameters())
                optimizer.step()
        if rank == 0:
            torch.save(model.state_dict(), "tabular.pt")


if __name__ == "__main__":
    main()
