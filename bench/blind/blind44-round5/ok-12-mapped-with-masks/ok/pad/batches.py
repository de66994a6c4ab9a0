import jax
import numpy as np


def padded(x, y, batch):
    n = jax.local_device_count()
    for start in range(0, len(x), batch):
        a, b = x[start : start + batch], y[start : start + batch]
        missing = batch - len(a)
        mask = np.r_[np.ones(len(a)), np.zeros(missing)].astype(np.float32)
        a = np.concatenate([a, np.zeros((missing, *a.shape[1:]), a.dtype)])
        b = np.concatenate([b, np.zeros(missing, b.dtype)])
        yield tuple(v.reshape((n, -1) + v.shape[1:]) for v in (a, b, mask))
