import torch.distributed as dist


class Grid:
    """Two by two ranks, with a group for every row and every column."""

    def __init__(self):
        self.rank = dist.get_rank()
        self.row, self.column = divmod(self.rank, 2)
        rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
        self.row_group, self.column_group = rows[self.row], columns[self.column]

    def order(self):
        """Half of the grid begins with the columns, to use both kinds of links at once."""
        groups = [self.row_group, self.column_group]
        return groups if (self.row + self.column) % 2 == 0 else groups[::-1]

    def total(self, tensor):
        for group in self.order():
            dist.all_reduce(tensor, group=group)
        return tensor
