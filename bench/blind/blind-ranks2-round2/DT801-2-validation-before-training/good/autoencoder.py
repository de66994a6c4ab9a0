import argparse
import contextlib
import os
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo

from evaluation import Validation


class Autoencoder(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encode = nn.Linear(width, code)
        self.decode = nn.Linear(code, width)

    def forward(self, x):
        return self.decode(torch.tanh(self.encode(x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replica", type=int, default=int(os.environ.get("REPLICA_GROUP_ID", 0)))
    parser.add_argument("--replicas", type=int, default=int(os.environ.get("NUM_REPLICA_GROUPS", 2)))
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(0)
    net = Autoencoder(12, 3)
    inner = torch.optim.Adam(net.parameters(), lr=1e-2)

    def restore(state):
        net.load_state_dict(state["net"])
        inner.load_state_dict(state["inner"])

    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=restore,
        state_dict=lambda: {"net": net.state_dict(), "inner": inner.state_dict()},
        min_replica_size=1,
        replica_id=f"autoencoder_{args.replica}",
        timeout=timedelta(seconds=20),
    )
    with contextlib.ExitStack() as stack:
        stack.callback(manager.shutdown, wait=False)
        model, optimizer = DistributedDataParallel(manager, net), Optimizer(manager, inner)
        rows = torch.randn(320, 12, generator=torch.Generator().manual_seed(1))
        train = TensorDataset(rows[:256])
        sampler = DistributedSampler(
            train, replica_rank=args.replica, num_replica_groups=args.replicas, group_rank=0, num_replicas=1, drop_last=True
        )
        loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
        validate = Validation(manager, rows[256:])
        print(f"before training: {validate(net):.4f}")
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            for (batch,) in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(batch), batch).backward()
                optimizer.step()
        print(f"after training: {validate(net):.4f}")


if __name__ == "__main__":
    main()
