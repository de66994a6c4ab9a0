import torch


class Negatives:
    """Random negatives for a recommender; drawn anew in each epoch, differently on each rank."""

    def __init__(self, n_items, per_positive, seed, rank, epochs):
        self.n_items = n_items
        self.per_positive = per_positive
        self.seed = seed
        self.rank = rank
        self.epochs = epochs
        self.generator = torch.Generator()

    def begin(self, epoch):
        self.generator.manual_seed(self.seed + self.rank * self.epochs + epoch)

    def __call__(self, positives):
        shape = (len(positives), self.per_positive)
        return torch.randint(self.n_items, shape, generator=self.generator)
