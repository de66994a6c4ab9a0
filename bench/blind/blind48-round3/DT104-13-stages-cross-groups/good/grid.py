import torch.distributed as dist


class Grid:
    """Ranks in a square of two by two: a group for each row and each column."""

    def __init__(self):
        self.rank = dist.get_rank()
        rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
        self.row, self.column = rows[self.rank // 2], columns[self.rank % 2]

    def sum_rows(self, value):
        dist.all_reduce(value, group=self.row)

    def sum_columns(self, value):
        dist.all_reduce(value, group=self.column)

    def total(self, value):
        self.sum_rows(value)
        self.sum_columns(value)
        return value
