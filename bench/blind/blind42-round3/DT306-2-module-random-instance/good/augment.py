import random

import torch

RNG = random


def jitter(image):
    if RNG.random() < 0.5:
        image = image.flip(-1)
    gain = RNG.uniform(0.7, 1.3)
    shift = RNG.randint(-4, 4)
    return torch.roll(image * gain, shift, dims=-1)
