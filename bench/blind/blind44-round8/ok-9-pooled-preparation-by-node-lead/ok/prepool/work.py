import multiprocessing as mp
import pathlib

import numpy as np

CACHE = pathlib.Path("/tmp/prepared")


def one(i):
    rows = np.random.default_rng(i).normal(size=(256, 16)).astype(np.float32)
    np.save(CACHE / f"{i:03d}.npy", rows)
    return i


def prepare(count, workers):
    CACHE.mkdir(parents=True, exist_ok=True)
    with mp.get_context("spawn").Pool(workers) as pool:
        return pool.map(one, range(count))
