import numpy as np


def spectrum(path):
    wave = np.load(path)
    return np.abs(np.fft.rfft(wave))[:128]
