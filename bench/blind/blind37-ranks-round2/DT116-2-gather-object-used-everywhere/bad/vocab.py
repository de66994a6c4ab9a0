"""Counts tokens over the shards of a corpus and builds one vocabulary."""
import argparse
import collections
import json
from pathlib import Path

import torch.distributed as dist


def shard_of(paths, rank, world):
    return [path for i, path in enumerate(sorted(paths)) if i % world == rank]


def count(paths):
    seen = collections.Counter()
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                seen.update(line.split())
    return seen


def merge(local):
    rank, world = dist.get_rank(), dist.get_world_size()
    counters = [None] * world if rank == 0 else None
    dist.gather_object(local, counters, dst=0)
    total = collections.Counter()
    for one in counters:
        total.update(one)
    return total


class Vocabulary:
    def __init__(self, words):
        self.index = {w: i for i, w in enumerate(words)}

    @classmethod
    def of(cls, counts, size):
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls(["<pad>", "<unk>", *(w for w, _ in ranked[: size - 2])])

    def encode(self, text):
        return [self.index.get(w, 1) for w in text.split()]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("corpus", type=Path)
    ap.add_argument("--size", type=int, default=32000)
    ap.add_argument("--out", type=Path, default=Path("encoded"))
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = shard_of(args.corpus.glob("*.txt"), rank, world)
    vocabulary = Vocabulary.of(merge(count(mine)), args.size)
    args.out.mkdir(parents=True, exist_ok=True)
    for path in mine:
        lines = path.read_text(encoding="utf-8").splitlines()
        encoded = [vocabulary.encode(line) for line in lines]
        (args.out / f"{path.stem}.json").write_text(json.dumps(encoded))
    if rank == 0:
        (args.out / "vocabulary.json").write_text(json.dumps(vocabulary.index))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
