"""Train with gradients averaged in each cluster on every step and parameters averaged over clusters every N steps.

`./launch.sh fixed.py` starts four processes, with torchft where it is installed and its stand-in where it is not.
"""

from __future__ import annotations

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torchft import Manager

from problem import network, sharded_loader
from topology import CLUSTER_SIZE, Place, build_manager, declare_members, standin
from two_level import TwoLevelLocalSGD


def average_gradients(inner: Manager, model: nn.Module) -> None:
    works = [inner.allreduce(parameter.grad) for parameter in model.parameters()]
    for work in works:
        work.wait()


def train(place: Place, epochs: int, sync_every: int) -> None:
    torch.manual_seed(0)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def state() -> dict:
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    def load_state(loaded: dict) -> None:
        model.load_state_dict(loaded["model"])
        optimizer.load_state_dict(loaded["optimizer"])

    declare_members(place)
    managers = [build_manager(f"cluster{place.cluster}", f"inner_{place.rank}", CLUSTER_SIZE, load_state, state)]
    try:
        if place.is_root:
            managers.append(build_manager("outer", f"outer_{place.rank}", place.clusters, load_state, state))
        inner, outer = managers[0], managers[1] if place.is_root else None
        loader, sampler = sharded_loader(place.rank, place.world_size)
        with TwoLevelLocalSGD(inner, outer, model, optimizer, sync_every):
            for epoch in range(epochs):
                sampler.set_epoch(epoch)
                total = 0.0
                for inputs, targets in loader:
                    inner.start_quorum()
                    optimizer.zero_grad()
                    loss = nn.functional.mse_loss(model(inputs), targets)
                    loss.backward()
                    average_gradients(inner, model)
                    if inner.should_commit():
                        optimizer.step()
                    total += loss.item()
                print(f"rank {place.rank} epoch {epoch} loss {total / len(loader):.4f}", flush=True)
    finally:
        # A manager left running keeps its heartbeat alive, and its peers wait for a member that is gone.
        for manager in managers:
            manager.shutdown(wait=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--sync-every", type=int, default=4)
    arguments = parser.parse_args()
    place = Place(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    if not standin():
        train(place, arguments.epochs, arguments.sync_every)
        return
    dist.init_process_group("gloo")
    try:
        train(place, arguments.epochs, arguments.sync_every)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
