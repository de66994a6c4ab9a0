import pathlib

import numpy as np


def shards(folder):
    return sorted(pathlib.Path(folder).glob("*.npy"))


def mean_of(path):
    rows = np.load(path, mmap_mode="r")
    return rows.mean(axis=0), len(rows)
