import functools
import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np


def fingerprint(text, bits=256):
    """Hashed trigrams of a molecule's string."""
    row = np.zeros(bits, np.float32)
    for at in range(len(text) - 2):
        code = functools.reduce(lambda h, c: (h * 131 + ord(c)) % 1_000_003, text[at : at + 3], 7)
        row[code % bits] += 1.0
    return row / math.sqrt(max(1.0, float(row @ row)))


def featurise(texts, workers):
    with ProcessPoolExecutor(max_workers=workers, mp_context=get_context("spawn")) as pool:
        return np.stack(list(pool.map(fingerprint, texts, chunksize=256)))
