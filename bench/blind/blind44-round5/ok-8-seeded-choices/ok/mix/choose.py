import random


class Mixture:
    def __init__(self, weights, seed):
        self.names, self.weights = zip(*sorted(weights.items()))
        self.rng = random.Random(seed)

    def next(self):
        return self.rng.choices(self.names, self.weights)[0]
