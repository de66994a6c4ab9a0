import torch
import torch.distributed as dist

from logs.chunks import chunks
from logs.histogram import Histogram


def main(folder="/data/logs"):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    source, histogram = chunks(folder, rank, world), Histogram()
    more = torch.ones(1)
    while more.item():
        lengths = next(source, None)
        histogram.add(lengths or [])
        seen = histogram.merged()
        if rank == 0 and seen.sum() > 0:
            print("median bucket", int(seen.cumsum(0).ge(seen.sum() / 2).nonzero()[0]))
        more = torch.tensor([float(lengths is not None)])
        dist.all_reduce(more, op=dist.ReduceOp.MAX)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
