import contextlib
import sys

import torch
import torch.distributed as dist

from work import shares


def score(text: str) -> float:
    return float(len(text.split()))


def main(lines: list[str]) -> int:
    with contextlib.ExitStack() as stack:
        dist.init_process_group("gloo")
        stack.callback(dist.destroy_process_group)
        rank = dist.get_rank()
        mine = shares(lines, dist.get_world_size())[rank]
        if not mine:
            print(f"rank {rank}: nothing to do")
            return 0
        scores = [score(line) for line in mine]
        collected = [None] * dist.get_world_size()
        dist.all_gather_object(collected, scores)
        if rank == 0:
            print(sum(map(sum, collected)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
