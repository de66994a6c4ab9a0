import torch.distributed as dist


class Share:
    """Every count-th item, from index on; over the whole world if nothing else is said."""

    def __init__(self, items, index=None, count=None):
        self.index = dist.get_rank() if index is None else index
        self.count = count if count is not None else dist.get_world_size()
        usable = len(items) - len(items) % self.count
        self.items = items[self.index : usable : self.count]

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)
