from torch.utils.data import Subset


def share(dataset, rank, world):
    """The part of the data that this rank trains on."""
    return Subset(dataset, range(rank, len(dataset), world))
