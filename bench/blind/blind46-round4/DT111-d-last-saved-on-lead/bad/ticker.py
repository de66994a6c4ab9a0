import torch.distributed as dist


class Every:
    """Due when `n` steps have passed since it was last marked."""

    def __init__(self, n):
        self.n, self.marked_at = n, 0

    def due(self, step):
        return step - self.marked_at >= self.n

    def mark(self, step):
        self.marked_at = step


def is_lead():
    return dist.get_rank() == 0
