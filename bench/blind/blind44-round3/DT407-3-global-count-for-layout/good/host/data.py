import jax
import numpy as np


def host_batches(rows, seed):
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        x = rng.normal(size=(rows, 8)).astype(np.float32)
        yield {"x": x, "y": np.linalg.norm(x, axis=-1)}
