import os

import torch
import torch.distributed as dist


class Block:
    """Rows of a matrix that belong to one rank."""

    def __init__(self, number, rows, columns):
        self.number, self.rows = number, rows
        self.owner = number % dist.get_world_size()
        self.values = torch.zeros(rows, columns)
        self.fresh = False

    @property
    def mine(self):
        return self.owner == dist.get_rank()

    def fill(self):
        gen = torch.Generator().manual_seed(self.number)
        self.values.copy_(torch.randn(self.values.shape, generator=gen))
        self.fresh = True

    def share(self):
        dist.broadcast(self.values, src=self.owner)


class Matrix:
    def __init__(self, count, rows, columns):
        self.blocks = []
        for number in range(count):
            self.blocks.append(Block(number, rows, columns))

    def fill(self):
        for block in self.blocks:
            if block.mine:
                block.fill()

    def gather(self):
        for block in self.blocks:
            block.share()
        return torch.cat([block.values for block in self.blocks])

    def own_norm(self):
        own = [block.values.norm() ** 2 for block in self.blocks if block.mine]
        total = torch.stack(own).sum() if own else torch.zeros(())
        dist.all_reduce(total)
        return total.sqrt().item()


def main():
    dist.init_process_group("gloo")
    matrix = Matrix(int(os.environ.get("BLOCKS", "12")), rows=64, columns=32)
    matrix.fill()
    norm = matrix.own_norm()
    whole = matrix.gather()
    if dist.get_rank() == 0:
        print("norm", norm, whole.norm().item())
        torch.save(whole, "matrix.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
