import os
from types import SimpleNamespace


def environment():
    return SimpleNamespace(
        rank=int(os.environ["RANK"]), local_rank=int(os.environ["LOCAL_RANK"]), world=int(os.environ["WORLD_SIZE"])
    )
