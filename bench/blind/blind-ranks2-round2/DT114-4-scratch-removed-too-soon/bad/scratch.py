import os
import shutil
import tempfile
from contextlib import contextmanager

import numpy as np
import torch.distributed as dist


def local_rank():
    return int(os.environ.get("LOCAL_RANK", "0"))


def fill(folder, shards, rows):
    os.makedirs(folder, exist_ok=True)
    for index in range(shards):
        values = np.random.default_rng(index).normal(size=(rows, 8)).astype(np.float32)
        np.save(os.path.join(folder, f"{index}.npy"), values)


@contextmanager
def scratch_data(name, shards=4, rows=64):
    """Unpacks the shards onto the host's own disk for the time of the block."""
    folder = os.path.join(tempfile.gettempdir(), name)
    if local_rank() == 0:
        fill(folder, shards, rows)
    dist.barrier()
    try:
        yield [os.path.join(folder, f"{i}.npy") for i in range(shards)]
    finally:
        if local_rank() == 0:
            shutil.rmtree(folder)
