import os

import torch
import torch.distributed as dist


class Chain:
    """Running sums over the ranks: what came before me, and what comes after me."""

    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def before(self, value):
        carried = torch.zeros_like(value)
        if self.rank > 0:
            dist.recv(carried, src=self.rank - 1)
        if self.rank < self.world - 1:
            dist.send(carried + value, dst=self.rank + 1)
        return carried

    def after(self, value):
        carried = torch.zeros_like(value)
        if self.rank < self.world - 1:
            dist.recv(carried, src=self.rank + 1)
        if self.rank > 0:
            dist.send(carried + value, dst=self.rank - 1)
        return carried


def offsets(chain, lengths):
    """Where the rows of this rank begin in the whole, and how many come behind them."""
    mine = torch.tensor([float(sum(lengths))])
    return int(chain.before(mine)), int(chain.after(mine))


def main():
    dist.init_process_group("gloo")
    chain = Chain()
    gen = torch.Generator().manual_seed(chain.rank)
    for turn in range(int(os.environ.get("TURNS", "10"))):
        lengths = torch.randint(1, 100, (8,), generator=gen).tolist()
        first, left = offsets(chain, lengths)
        total = torch.tensor(float(sum(lengths)))
        dist.all_reduce(total)
        assert first + sum(lengths) + left == int(total)
        if chain.rank == 0:
            print(turn, "rows", int(total))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
