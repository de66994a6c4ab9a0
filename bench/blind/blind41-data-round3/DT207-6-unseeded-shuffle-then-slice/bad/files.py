import random
from pathlib import Path


def own_files(folder, rank, world):
    files = sorted(Path(folder).glob("**/*.npy"))
    random.shuffle(files)
    share = len(files) // world
    return files[rank * share : (rank + 1) * share]
