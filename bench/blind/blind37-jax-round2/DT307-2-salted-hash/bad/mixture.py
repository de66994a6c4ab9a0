import random

import torch


def stream_seed(name, seed):
    """One seed for each source of the mixture."""
    return seed + hash(name) % 2**32


class Source:
    def __init__(self, name, documents, seed, rank, world_size):
        self.name = name
        order = list(range(len(documents)))
        random.Random(stream_seed(name, seed)).shuffle(order)
        usable = len(order) - len(order) % world_size
        self.documents = [documents[i] for i in order[rank:usable:world_size]]
        self.place = 0

    def next(self):
        document = self.documents[self.place % len(self.documents)]
        self.place += 1
        return document


class Mixture(torch.utils.data.IterableDataset):
    def __init__(self, sources, weights, seed):
        self.sources, self.weights = sources, weights
        self.choice = random.Random(seed)

    def __iter__(self):
        while True:
            yield self.choice.choices(self.sources, self.weights)[0].next()
