import torch
import torch.distributed as dist


class Shared:
    """A number that is kept per rank and read as the sum over the ranks."""

    def __set_name__(self, owner, name):
        self.slot = f"_{name}"

    def __set__(self, thing, value):
        setattr(thing, self.slot, float(value))

    def __get__(self, thing, owner=None):
        if thing is None:
            return self
        total = torch.tensor(getattr(thing, self.slot))
        dist.all_reduce(total)
        return total.item()
