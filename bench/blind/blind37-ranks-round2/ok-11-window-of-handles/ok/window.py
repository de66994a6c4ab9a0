import collections
import os

import torch
import torch.distributed as dist


class Streamer:
    """Broadcasts a table row by row with a window of transfers in flight."""

    def __init__(self, rows, limit=4):
        self.rows, self.limit = rows, limit
        self.flight = collections.deque()

    def run(self):
        for row in self.rows:
            if len(self.flight) == self.limit:
                self.flight.popleft().wait()
            self.flight.append(dist.broadcast(row, src=0, async_op=True))
        while self.flight:
            self.flight.popleft().wait()
        return torch.stack(self.rows)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    gen = torch.Generator().manual_seed(3)
    table = torch.randn(64, 16, generator=gen) if rank == 0 else torch.zeros(64, 16)
    rows = [row.clone() for row in table]
    whole = Streamer(rows).run()
    low, high = whole.min(), whole.max()
    dist.all_reduce(low, op=dist.ReduceOp.MIN)
    dist.all_reduce(high, op=dist.ReduceOp.MAX)
    works = [dist.all_reduce(part, async_op=True) for part in whole.chunk(dist.get_world_size())]
    works[-1].wait()
    for work in works:
        work.wait()
    if rank == 0:
        torch.save({"table": whole, "range": (low.item(), high.item())}, os.environ.get("OUT", "table.pt"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
