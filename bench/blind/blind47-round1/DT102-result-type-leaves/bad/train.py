import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from recipe import read_recipe
from result import Err, Ok


def fit(recipe: dict) -> None:
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 320).unsqueeze(1)
    dataset = TensorDataset(x, 3 * x)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=recipe["lr"])
    for epoch in range(recipe["epochs"]):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()


def main(path: str) -> int:
    dist.init_process_group("gloo")
    try:
        outcome = read_recipe(Path(path)) if dist.get_rank() == 0 else Ok({})
        match outcome:
            case Err(reason):
                print(reason, file=sys.stderr)
                return 2
            case Ok(recipe):
                shared = [recipe]
        dist.broadcast_object_list(shared, src=0)
        fit(shared[0])
        return 0
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
