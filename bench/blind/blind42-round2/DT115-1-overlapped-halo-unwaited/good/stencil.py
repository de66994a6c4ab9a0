"""Heat equation on a grid that is split by rows over the ranks."""
import torch
import torch.distributed as dist


class Slab:
    """`rows` rows of this rank with one halo row above and below."""

    def __init__(self, rank, world, rows, columns):
        gen = torch.Generator().manual_seed(40 + rank)
        self.rank, self.world = rank, world
        self.grid = torch.zeros(rows + 2, columns)
        self.grid[1:-1] = torch.rand(rows, columns, generator=gen)

    def start_exchange(self):
        ops, self.above, self.below = [], None, None
        if self.rank > 0:
            self.above = torch.empty_like(self.grid[0])
            ops.append(dist.P2POp(dist.isend, self.grid[1].clone(), self.rank - 1))
            ops.append(dist.P2POp(dist.irecv, self.above, self.rank - 1))
        if self.rank < self.world - 1:
            self.below = torch.empty_like(self.grid[0])
            ops.append(dist.P2POp(dist.isend, self.grid[-2].clone(), self.rank + 1))
            ops.append(dist.P2POp(dist.irecv, self.below, self.rank + 1))
        return dist.batch_isend_irecv(ops) if ops else []

    def finish_exchange(self, works):
        for work in works:
            work.wait()
        if self.above is not None:
            self.grid[0] = self.above
        if self.below is not None:
            self.grid[-1] = self.below

    def step(self, k=0.2):
        works = self.start_exchange()
        inner = self.grid[2:-2]
        lap = self.grid[1:-3] + self.grid[3:-1] + inner.roll(1, 1) + inner.roll(-1, 1) - 4 * inner
        self.finish_exchange(works)
        first = self._edge(1)
        last = self._edge(-2)
        self.grid[2:-2] = inner + k * lap
        self.grid[1], self.grid[-2] = first, last

    def _edge(self, i, k=0.2):
        row = self.grid[i]
        return row + k * (self.grid[i - 1] + self.grid[i + 1] + row.roll(1) + row.roll(-1) - 4 * row)


def main(steps=200):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    slab = Slab(rank, world, 64, 128)
    for _ in range(steps):
        slab.step()
    heat = slab.grid[1:-1].sum()
    dist.all_reduce(heat)
    if rank == 0:
        print(f"heat {heat.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
