from dataclasses import dataclass

import torch.distributed as dist


@dataclass
class Layout:
    rank: int
    tp_size: int
    tp_group: object = None
    dp_group: object = None

    @property
    def tp_rank(self):
        return self.rank % self.tp_size

    @property
    def tp_root(self):
        return self.rank - self.tp_rank

    @classmethod
    def build(cls, tp_size):
        rank, world = dist.get_rank(), dist.get_world_size()
        layout = cls(rank, tp_size)
        for first in range(0, world, tp_size):
            ranks = list(range(first, first + tp_size))
            group = dist.new_group(ranks)
            if rank in ranks:
                layout.tp_group = group
        for column in range(tp_size):
            ranks = list(range(column, world, tp_size))
            group = dist.new_group(ranks)
            if rank in ranks:
                layout.dp_group = group
        return layout
