import random

import torch
from torch.utils.data import Dataset, get_worker_info

_RNG = random


def spec_augment(features, width=8):
    frames = features.shape[0]
    start = _RNG.randrange(max(1, frames - width))
    features = features.clone()
    features[start : start + width] = 0.0
    return features


class Speech(Dataset):
    def __init__(self, features, labels):
        self.features, self.labels = features, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return spec_augment(self.features[i]), self.labels[i]
