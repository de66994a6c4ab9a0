from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn


@dataclass
class Task:
    name: str
    frequency: float


TASKS = [Task(f"sine-{f}", float(f)) for f in (1, 2, 3, 5, 8)]


def probe(model, task, device):
    """Fit a linear readout for one task and give its error."""
    x = torch.linspace(-1, 1, 128, device=device)[:, None]
    features = model(x)
    target = torch.sin(task.frequency * x)
    solution = torch.linalg.lstsq(features, target).solution
    return (features @ solution - target).square().mean()


@torch.no_grad()
def probe_all(model, tasks, device):
    rank, world = dist.get_rank(), dist.get_world_size()
    table = {}
    for number, task in enumerate(tasks):
        owner = number % world
        error = probe(model, task, device) if owner == rank else torch.zeros((), device=device)
        dist.broadcast(error, src=owner)
        table[task.name] = error.item()
    return table
