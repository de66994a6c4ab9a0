import numpy as np


def jitter(signal, sigma=0.05):
    return signal + np.random.normal(0.0, sigma, size=signal.shape).astype(np.float32)


def shift(signal, most=20):
    return np.roll(signal, np.random.randint(-most, most + 1), axis=-1)
