import jax.numpy as jnp
import numpy as np

from loop.train_state import new
from loop.trainer import Trainer


def batches(n, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield rng.normal(size=(32, 4)).astype(np.float32)


if __name__ == "__main__":
    Trainer(new({"w": jnp.zeros(4)})).fit(batches(50))
