import jax
import numpy as np
from flax import jax_utils

from jaxdata.arrays import ArrayLoader
from jaxdata.step import update


def dataset(n=1003, d=9, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    return x, (x.sum(-1) > 0).astype(np.float32)


def main(epochs=3):
    x, y = dataset()
    loader = ArrayLoader(x, y, batch=64, seed=1)
    w = jax_utils.replicate(np.zeros(9, np.float32))
    for _ in range(epochs):
        for bx, by in loader:
            w = update(w, bx, by)
    print(np.asarray(jax_utils.unreplicate(w)))


if __name__ == "__main__":
    main()
