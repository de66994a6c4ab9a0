import jax
import numpy as np

from engine import Engine


def source(seed=0):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.normal(size=(jax.local_device_count(), 4, 8)).astype(np.float32)


if __name__ == "__main__":
    print(Engine().fit(source()))
