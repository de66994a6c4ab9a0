import numpy as np


class CropFlip:
    """Random crop and horizontal flip on HWC arrays."""

    def __init__(self, size, seed):
        self.size = size
        self.seed = seed
        self.rng = np.random.default_rng(seed)

    def reseed(self, stream):
        self.rng = np.random.default_rng([self.seed, stream])

    def __call__(self, image):
        top, left = self.rng.integers(0, image.shape[0] - self.size + 1, size=2)
        image = image[top : top + self.size, left : left + self.size]
        if self.rng.random() < 0.5:
            image = image[:, ::-1]
        return np.ascontiguousarray(image)
