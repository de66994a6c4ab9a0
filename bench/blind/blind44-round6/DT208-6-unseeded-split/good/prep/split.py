import numpy as np
from sklearn.model_selection import train_test_split


class Split:
    def __init__(self, n, test, seed=None):
        self.rows = np.arange(n)
        self.test, self.seed = test, seed

    def __call__(self):
        return train_test_split(self.rows, test_size=self.test, random_state=self.seed)
