import argparse
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        device = torch.device("cuda", local_rank)
    else:
        device = torch.device("cpu")
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), device


class Scorer(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def load_features(path):
    return torch.tensor(json.loads(Path(path).read_text()), dtype=torch.float32)


def score_files(model, files, device):
    scores = {}
    for path in files:
        with torch.no_grad():
            scores[path] = model(load_features(path).to(device)).mean().item()
    return scores


def run(rank, world, device, folder):
    torch.manual_seed(0)
    model = Scorer().to(device).eval()
    files = sorted(str(p) for p in Path(folder).glob("*.json"))
    mine = files[rank::world]
    if not mine:
        print(f"rank {rank} has nothing to score")
    scores = score_files(model, mine, device)
    parts = [None] * world
    dist.all_gather_object(parts, scores)
    if rank == 0:
        merged = {}
        for part in parts:
            merged.update(part)
        Path("scores.json").write_text(json.dumps(merged, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="features")
    args = parser.parse_args()
    rank, world, device = setup()
    run(rank, world, device, args.folder)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
