import argparse
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Strip:
    field: torch.Tensor
    rank: int
    world: int

    @property
    def above(self):
        return self.rank - 1 if self.rank > 0 else None

    @property
    def below(self):
        return self.rank + 1 if self.rank + 1 < self.world else None

    def exchange(self):
        """Ghost rows of the neighbours; zeros outside of the domain."""
        top = torch.zeros_like(self.field[0])
        bottom = torch.zeros_like(self.field[0])
        ops = []
        if self.above is not None:
            ops.append(dist.P2POp(dist.isend, self.field[0].contiguous(), self.above))
            ops.append(dist.P2POp(dist.irecv, top, self.above))
        if self.below is not None:
            ops.append(dist.P2POp(dist.isend, self.field[-1].contiguous(), self.below))
            ops.append(dist.P2POp(dist.irecv, bottom, self.below))
        if ops:
            for request in dist.batch_isend_irecv(ops):
                request.wait()
        return top, bottom

    def smooth(self):
        top, bottom = self.exchange()
        padded = torch.cat([top[None], self.field, bottom[None]])
        self.field = (padded[:-2] + padded[1:-1] + padded[2:]) / 3


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=64)
    ap.add_argument("--iterations", type=int, default=30)
    args = ap.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    whole = torch.randn(args.rows, 16, generator=torch.Generator().manual_seed(2))
    strip = Strip(whole.tensor_split(world)[rank].clone(), rank, world)
    for i in range(args.iterations):
        strip.smooth()
        if i % 10 == 9:
            energy = strip.field.square().sum()
            dist.all_reduce(energy)
            if rank == 0:
                print(f"{i + 1}: energy {energy.item():.4f}")
    parts = [None] * world if rank == 0 else None
    dist.gather_object(strip.field, parts, dst=0)
    if rank == 0:
        torch.save(torch.cat(parts), "field.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
