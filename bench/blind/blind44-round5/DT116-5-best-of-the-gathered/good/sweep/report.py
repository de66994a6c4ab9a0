import torch.distributed as dist


class Trials:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def all(self, mine):
        rows = [None] * self.world
        dist.all_gather_object(rows, mine)
        return rows

    def best(self, mine):
        return max(self.all(mine), key=lambda row: row["score"])
