import pathlib
import sys

import torch
import torch.distributed as dist

from prep.share import manifest_for_all


def count(path):
    return sum(len(line.split()) for line in pathlib.Path(path).open())


def main(path):
    dist.init_process_group("gloo")
    manifest = manifest_for_all(path)
    rank, world = dist.get_rank(), dist.get_world_size()
    words = torch.tensor([sum(count(f) for f in manifest.files[rank::world])])
    dist.all_reduce(words)
    if rank == 0:
        print(manifest.name, words.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
