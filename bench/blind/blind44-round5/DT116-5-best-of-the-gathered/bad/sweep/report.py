import torch.distributed as dist


class Trials:
    def __init__(self):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def all(self, mine):
        rows = [None] * self.world if self.rank == 0 else None
        dist.gather_object(mine, rows, dst=0)
        return rows

    def best(self, mine):
        return max(self.all(mine), key=lambda row: row["score"])
