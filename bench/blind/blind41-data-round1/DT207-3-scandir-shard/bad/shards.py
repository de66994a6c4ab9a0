import os

import numpy as np


def list_shards(folder, suffix=".npz"):
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if entry.is_file() and entry.name.endswith(suffix)]
    return found


def host_share(paths, index, count):
    each = len(paths) // count
    return paths[index * each : (index + 1) * each]


def examples(paths, seed):
    rng = np.random.default_rng(seed)
    while True:
        for at in rng.permutation(len(paths)):
            with np.load(paths[at]) as block:
                yield block["x"], block["y"]
