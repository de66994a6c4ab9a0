import torch.distributed as dist


class Vocabulary:
    """Built by the lead rank, the same on all ranks once `share` has returned."""

    def __init__(self, rank):
        self.rank = rank
        self.table = None

    def build(self, words):
        self.table = {w: i for i, w in enumerate(sorted(set(words)))}

    def _publish(self):
        dist.broadcast_object_list([self.table], src=0)
        dist.barrier()

    def _subscribe(self):
        slot = [None]
        dist.broadcast_object_list(slot, src=0)
        dist.barrier()
        self.table = slot[0]

    def share(self):
        exchange = self._publish if self.rank == 0 else self._subscribe
        exchange()
        return len(self.table)
