import argparse
import os
import sys
import traceback
from datetime import timedelta

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, Optimizer, ProcessGroupGloo


class Readings(Dataset):
    def __init__(self, size):
        generator = torch.Generator().manual_seed(31)
        self.values = torch.randn(size, 6, generator=generator)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        row = self.values[index]
        if not torch.isfinite(row).all():
            raise ValueError(f"reading {index} is damaged")
        return row, row.mean().reshape(1)


def train(args, manager, model, optimizer, loader, sampler):
    while manager.current_step() < args.steps:
        sampler.set_epoch(manager.current_step())
        for rows, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.l1_loss(model(rows), targets)
            loss.backward()
            optimizer.step()
            if manager.current_step() >= args.steps:
                break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replica", type=int, default=int(os.environ.get("REPLICA_GROUP_ID", "0")))
    parser.add_argument("--replicas", type=int, default=int(os.environ.get("NUM_REPLICA_GROUPS", "2")))
    parser.add_argument("--steps", type=int, default=12)
    args = parser.parse_args()

    torch.manual_seed(0)
    net = nn.Linear(6, 1)
    inner = torch.optim.SGD(net.parameters(), lr=0.02)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        load_state_dict=lambda state: (net.load_state_dict(state["net"]), inner.load_state_dict(state["optim"])),
        state_dict=lambda: {"net": net.state_dict(), "optim": inner.state_dict()},
        min_replica_size=1,
        replica_id=f"readings_{args.replica}",
        timeout=timedelta(seconds=20),
    )
    model = DistributedDataParallel(manager, net)
    optimizer = Optimizer(manager, inner)
    data = Readings(480)
    sampler = DistributedSampler(
        data, replica_rank=args.replica, num_replica_groups=args.replicas, group_rank=0, num_replicas=1, drop_last=True
    )
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    try:
        train(args, manager, model, optimizer, loader, sampler)
    except ValueError:
        traceback.print_exc()
        return 1
    finally:
        manager.shutdown(wait=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
