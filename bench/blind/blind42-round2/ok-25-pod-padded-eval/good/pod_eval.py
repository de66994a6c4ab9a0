"""Evaluation with padding and a mask under pmap."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.relu(nn.Dense(128)(x)))


@functools.partial(jax.pmap, axis_name="d")
def count(params, x, y, mask):
    right = (Net().apply(params, x).argmax(-1) == y) * mask
    return jax.lax.psum((right.sum(), mask.sum()), "d")


def padded_batches(x, y, size):
    n = jax.local_device_count()
    for at in range(0, len(x), size):
        bx, by = x[at : at + size], y[at : at + size]
        missing = size - len(bx)
        mask = np.concatenate([np.ones(len(bx), np.float32), np.zeros(missing, np.float32)])
        bx = np.concatenate([bx, np.zeros((missing, bx.shape[1]), bx.dtype)])
        by = np.concatenate([by, np.zeros(missing, by.dtype)])
        yield tuple(a.reshape((n, size // n) + a.shape[1:]) for a in (bx, by, mask))


def main(rows=1000, batch=64):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 32)).astype(np.float32)
    y = rng.integers(0, 10, rows)
    params = jax_utils.replicate(Net().init(jax.random.key(0), jnp.zeros((1, 32))))
    right = total = 0.0
    for bx, by, mask in padded_batches(x, y, batch):
        r, t = count(params, bx, by, mask)
        right, total = right + float(r[0]), total + float(t[0])
    print("accuracy", right / total, "of", int(total))


if __name__ == "__main__":
    main()
