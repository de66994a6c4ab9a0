import multiprocessing

import numpy as np


def encode(line):
    return np.frombuffer(line.encode()[:256].ljust(256), dtype=np.uint8)


def encode_all(path, processes=8):
    with open(path) as lines, multiprocessing.get_context("spawn").Pool(processes) as pool:
        return np.stack(pool.map(encode, lines, chunksize=256))
