import argparse
import os
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


def my_files(root: Path, rank: int, world: int):
    files = sorted(p for p in root.glob("*.pt") if not p.name.startswith("tmp"))
    return islice(files, rank, None, world)


class Encoder(nn.Module):
    def __init__(self, dim=32, out=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, out))

    def forward(self, x):
        return nn.functional.normalize(self.body(x), dim=-1)


def parse_args(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("root", type=Path)
    ap.add_argument("--out", type=Path, default=Path("embeddings"))
    ap.add_argument("--weights", type=Path, required=True)
    return ap.parse_args(argv)


@torch.inference_mode()
def main(argv=None):
    args = parse_args(argv)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    encoder = Encoder().to(device).eval()
    encoder.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    args.out.mkdir(parents=True, exist_ok=True)
    done = 0
    for path in my_files(args.root, rank, world):
        x = torch.load(path, map_location=device, weights_only=True)
        torch.save(encoder(x).cpu(), args.out / path.name)
        done += 1
    total = torch.tensor([done], device=device)
    dist.all_reduce(total)
    if rank == 0:
        print("embedded", total.item(), "files")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
