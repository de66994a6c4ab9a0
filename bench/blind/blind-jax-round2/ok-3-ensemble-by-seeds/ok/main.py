import jax
import numpy as np

from ensemble import Ensemble


def batches(count, rows, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        x = rng.normal(size=(rows, 4)).astype(np.float32)
        yield x, np.cos(x).sum(-1)


if __name__ == "__main__":
    ensemble = Ensemble(jax.random.PRNGKey(6), dim=4)
    print("losses", ensemble.fit(batches(20, 32, 0)))
    x, y = next(batches(1, 16, 1))
    print("error", np.mean((ensemble.predict(x) - y) ** 2))
