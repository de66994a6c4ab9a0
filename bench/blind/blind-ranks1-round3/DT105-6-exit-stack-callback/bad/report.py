from collections import Counter

import torch.distributed as dist


class Report:
    def __init__(self):
        self.counts = Counter()
        self.total = None

    def note(self, **kwargs):
        self.counts.update(kwargs)

    def merge(self):
        parts = [None] * dist.get_world_size()
        dist.all_gather_object(parts, dict(self.counts))
        self.total = sum(map(Counter, parts), Counter())
