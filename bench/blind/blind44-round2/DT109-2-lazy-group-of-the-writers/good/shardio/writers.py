import functools

import torch.distributed as dist


class Writers:
    """The first rank of each node writes; the writers talk among themselves."""

    def __init__(self, per_node):
        self.rank = dist.get_rank()
        self.ranks = list(range(0, dist.get_world_size(), per_node))
        self.chosen = self.rank in self.ranks
        self.group = dist.new_group(self.ranks, backend="gloo")

    def manifest(self, name, size):
        mine = {"name": name, "size": size}
        everything = [None] * len(self.ranks)
        dist.all_gather_object(everything, mine, group=self.group)
        return everything
