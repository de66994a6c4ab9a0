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
        """Rows first, everywhere."""
        return [self.row_group, self.column_group]

    def total(self, tensor):
        for group in self.order():
            dist.all_reduce(tensor, group=group)
        return tensor
