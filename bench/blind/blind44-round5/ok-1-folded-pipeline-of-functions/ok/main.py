import functools

import torch
import torch.distributed as dist

from pipe.stages import centred, clipped, compose, scaled


def main(n=100, dim=5):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    stages = [centred, functools.partial(scaled, eps=1e-5), functools.partial(clipped, most=3.0)]
    whiten = compose(*stages)
    x = whiten(torch.randn(n, dim, generator=torch.Generator().manual_seed(rank)) * 4 + 1)
    total = x.sum(0)
    dist.all_reduce(total)
    if rank == 0:
        print(total.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
