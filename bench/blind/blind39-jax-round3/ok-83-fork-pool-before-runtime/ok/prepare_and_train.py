import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import multiprocessing as mp  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402


def histogram(seed):
    values = np.random.default_rng(seed).normal(size=10_000)
    return np.histogram(values, bins=64, range=(-4, 4), density=True)[0].astype(np.float32)


def prepare(count, workers):
    with mp.get_context("fork").Pool(workers) as pool:
        return np.stack(pool.map(histogram, range(count), chunksize=16))


def main(count=512, workers=4, steps=200):
    rows = prepare(count, workers)
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = jax.device_put(rows, NamedSharding(mesh, P("data")))
    weights = jax.device_put(0.1 * jax.random.normal(jax.random.key(0), (64, 8)), NamedSharding(mesh, P()))

    @jax.jit
    def update(weights):
        def loss(w):
            return jnp.mean((rows @ w @ w.T - rows) ** 2)

        return weights - 0.5 * jax.grad(loss)(weights)

    for _ in range(steps):
        weights = update(weights)
    print(float(jnp.linalg.norm(weights)))


if __name__ == "__main__":
    main()
