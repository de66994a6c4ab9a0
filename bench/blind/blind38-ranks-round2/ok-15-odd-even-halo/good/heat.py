import argparse

import torch
import torch.distributed as dist


class Line:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.left = self.rank - 1 if self.rank > 0 else None
        self.right = self.rank + 1 if self.rank + 1 < self.world else None

    def swap(self, row, peer):
        incoming = torch.empty_like(row)
        if self.rank % 2 == 0:
            dist.send(row, dst=peer)
            dist.recv(incoming, src=peer)
        else:
            dist.recv(incoming, src=peer)
            dist.send(row, dst=peer)
        return incoming

    def halos(self, field):
        """The rows of the neighbours; at the ends of the line, a copy of the own border."""
        above, below = field[0].clone(), field[-1].clone()
        first, second = (self.right, self.left) if self.rank % 2 == 0 else (self.left, self.right)
        for peer in (first, second):
            if peer is None:
                continue
            if peer == self.right:
                below = self.swap(field[-1].contiguous(), peer)
            else:
                above = self.swap(field[0].contiguous(), peer)
        return above, below


def step(field, above, below, rate):
    padded = torch.cat([above.unsqueeze(0), field, below.unsqueeze(0)])
    side = torch.nn.functional.pad(field.unsqueeze(0), (1, 1), mode="replicate").squeeze(0)
    around = padded[:-2] + padded[2:] + side[:, :-2] + side[:, 2:]
    return field + rate * (around - 4 * field)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    line = Line()
    field = torch.zeros(args.rows, 128)
    if line.rank == 0:
        field[0, 48:80] = 100.0
    for number in range(args.steps):
        field = step(field, *line.halos(field), rate=0.2)
        if number % 50 == 0:
            warmth = field.sum()
            dist.reduce(warmth, dst=0)
            if line.rank == 0:
                print(number, warmth.item())
    torch.save(field, f"heat_{line.rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
