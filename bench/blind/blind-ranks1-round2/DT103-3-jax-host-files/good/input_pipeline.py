import glob
import os

import jax
import numpy as np


def host_files(folder):
    files = sorted(glob.glob(os.path.join(folder, "*.npz")))
    files = files[: len(files) // jax.process_count() * jax.process_count()]
    return [f for i, f in enumerate(files) if i % jax.process_count() == jax.process_index()]


def examples(folder, per_device):
    n = jax.local_device_count() * per_device
    for path in host_files(folder):
        with np.load(path) as blob:
            x, y = blob["x"], blob["y"]
        for lo in range(0, len(x) - n + 1, n):
            shape = (jax.local_device_count(), per_device)
            yield x[lo : lo + n].reshape(*shape, -1), y[lo : lo + n].reshape(*shape, -1)
