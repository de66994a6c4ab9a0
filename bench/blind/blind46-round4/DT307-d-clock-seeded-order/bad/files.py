import random
import time
from pathlib import Path


def shuffled_files(root, seed=None):
    files = sorted(Path(root).rglob("*.npy"))
    rng = random.Random(seed if seed is not None else time.time_ns())
    rng.shuffle(files)
    return files


def stride(files, rank, world):
    n = len(files) - len(files) % world
    return files[rank:n:world]
