from torch.utils.data import Subset


def share(dataset, rank, world):
    """The part of the data that this rank trains on."""
    whole = len(dataset) - len(dataset) % world
    return Subset(dataset, range(rank, whole, world))
