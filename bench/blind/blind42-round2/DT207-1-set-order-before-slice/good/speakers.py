"""Speaker embeddings: the speakers are divided over the ranks, everyone writes its own part."""
import argparse
import json
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn


class Embedder(nn.Module):
    def __init__(self, mels=80, width=192):
        super().__init__()
        self.rnn = nn.GRU(mels, width, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, width)

    def forward(self, frames):
        states, _ = self.rnn(frames)
        return nn.functional.normalize(self.out(states.mean(1)), dim=-1)


def read_index(path):
    with open(path) as fh:
        return [json.loads(line) for line in fh]


def part(items, rank, world):
    size = len(items) // world
    extra = len(items) % world
    start = rank * size + min(rank, extra)
    return items[start : start + size + (rank < extra)]


@torch.no_grad()
def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--index", required=True)
    ap.add_argument("--weights", required=True)
    ap.add_argument("--out", type=Path, required=True)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    net = Embedder().eval()
    net.load_state_dict(torch.load(args.weights, map_location="cpu"))
    args.out.mkdir(parents=True, exist_ok=True)
    rows = read_index(args.index)
    speakers = sorted({row["speaker"] for row in rows})
    result = {}
    for speaker in part(speakers, rank, world):
        vectors = [net(torch.load(r["frames"], map_location="cpu")[None]) for r in rows if r["speaker"] == speaker]
        result[speaker] = torch.cat(vectors).mean(0)
    torch.save(result, args.out / f"speakers_{rank:03d}.pt")
    dist.barrier()
    if rank == 0:
        merged = {}
        for piece in sorted(args.out.glob("speakers_*.pt")):
            merged.update(torch.load(piece, map_location="cpu"))
        torch.save(merged, args.out / "all.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
