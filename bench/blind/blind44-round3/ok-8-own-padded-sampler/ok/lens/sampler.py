import torch
import torch.distributed as dist
from torch.utils.data import Sampler


class ByLength(Sampler):
    """Batches of similar length; every rank gets as many batches as the others."""

    def __init__(self, lengths, batch, seed=0):
        self.lengths, self.batch, self.seed = lengths, batch, seed
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.epoch = 0
        rounds = -(-len(lengths) // (batch * self.world))
        self.total = rounds * batch * self.world

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.total // (self.batch * self.world)

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        noise = torch.rand(len(self.lengths), generator=g)
        order = (torch.as_tensor(self.lengths) + noise).argsort().tolist()
        order += order[: self.total - len(order)]
        batches = [order[i : i + self.batch] for i in range(0, self.total, self.batch)]
        rounds = [batches[i : i + self.world] for i in range(0, len(batches), self.world)]
        for pick in torch.randperm(len(rounds), generator=g).tolist():
            yield rounds[pick][self.rank]
