import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    jax.distributed.initialize()
    rows = NamedSharding(Mesh(np.asarray(jax.devices()), ("data",)), P("data"))

    @jax.jit
    def step(w, x):
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - x.sum(-1)) ** 2))(w)

    w = jnp.zeros(8)
    draw = np.random.default_rng(jax.process_index())
    for _ in range(args.steps):
        x = draw.normal(size=(64, 8)).astype(np.float32)
        w = step(w, jax.make_array_from_process_local_data(rows, x))
    if jax.process_index() == 0:
        print(w)


if __name__ == "__main__":
    main()
