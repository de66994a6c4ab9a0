import numpy as np
import torch
from torch.utils.data import Dataset

RNG = np.random.default_rng(2024)


def random_erase(image, area=0.1):
    _, height, width = image.shape
    side = int((area * height * width) ** 0.5)
    top = int(np.random.randint(0, height - side))
    left = int(np.random.randint(0, width - side))
    image = image.clone()
    image[:, top : top + side, left : left + side] = 0.0
    return image


class Erased(Dataset):
    def __init__(self, images, labels):
        self.images = images
        self.labels = labels
        self.order = RNG.permutation(len(images))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        place = int(self.order[index])
        return random_erase(self.images[place]), self.labels[place]
