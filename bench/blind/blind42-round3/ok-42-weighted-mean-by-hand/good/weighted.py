import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn


def rows(path, rank, world):
    with open(path) as fh:
        for number, line in enumerate(fh):
            if number % world == rank:
                row = json.loads(line)
                yield torch.tensor(row["x"]), torch.tensor(row["y"])


@torch.no_grad()
def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    net = nn.Linear(16, 1)
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
    net.eval()
    total, count = 0.0, 0
    for x, y in rows(os.environ["ROWS"], rank, world):
        total += (net(x) - y).abs().sum().item()
        count += 1
    mean = total / max(count, 1)
    weighted = torch.tensor([mean * count, count], dtype=torch.float64)
    dist.all_reduce(weighted)
    if rank == 0:
        print(f"mean error {(weighted[0] / weighted[1]).item():.4f} over {int(weighted[1])}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
