"""Cross-rank near-duplicate removal: signatures of each file are exchanged after the file."""
import argparse
import hashlib
from pathlib import Path

import torch
import torch.distributed as dist

BANDS, ROWS = 16, 4


def signature(text):
    words = text.split()
    shingles = {" ".join(words[i : i + 5]) for i in range(max(len(words) - 4, 1))}
    mins = []
    for salt in range(BANDS * ROWS):
        digests = (hashlib.blake2b(f"{salt}{s}".encode(), digest_size=4).digest() for s in shingles)
        mins.append(min(int.from_bytes(d, "little") for d in digests))
    return mins


def band_keys(mins):
    return {(b, hash(tuple(mins[b * ROWS : (b + 1) * ROWS]))) for b in range(BANDS)}


class SharedIndex:
    def __init__(self):
        self.seen = set()

    def exchange(self, fresh):
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, fresh)
        for keys in everyone:
            self.seen |= keys


def my_files(folder, rank, world):
    files = sorted(Path(folder).glob("*.txt"))
    return files[rank::world]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("target", type=Path)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    args.target.mkdir(parents=True, exist_ok=True)
    index = SharedIndex()
    for path in my_files(args.source, rank, world):
        fresh, kept = set(), []
        for line in path.read_text().splitlines():
            keys = band_keys(signature(line))
            if not keys & (index.seen | fresh):
                kept.append(line)
                fresh |= keys
        (args.target / path.name).write_text("\n".join(kept))
        index.exchange(fresh)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
