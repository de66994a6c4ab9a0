import numpy as np
import torch


class RandomCutout:
    def __init__(self, size, probability=0.5, seed=0):
        self.size = size
        self.probability = probability
        self.seed = seed
        self.rng = None

    def _generator(self):
        if self.rng is None:
            info = torch.utils.data.get_worker_info()
            self.rng = np.random.default_rng(info.seed if info is not None else self.seed)
        return self.rng

    def __call__(self, image):
        rng = self._generator()
        if rng.random() > self.probability:
            return image
        _, height, width = image.shape
        top = int(rng.integers(0, height - self.size))
        left = int(rng.integers(0, width - self.size))
        image = image.clone()
        image[:, top : top + self.size, left : left + self.size] = 0.0
        return image


class Chain:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image
