import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=32 * jax.local_device_count())
    return parser.parse_args()


def main():
    args = options()
    jax.distributed.initialize()
    per_host = args.batch
    mesh = Mesh(np.asarray(jax.devices()), ("b",))
    rows = NamedSharding(mesh, P("b"))
    w = jax.device_put(np.zeros(12, np.float32), NamedSharding(mesh, P()))
    learn = jax.jit(lambda w, x, y: w - 0.1 * jax.grad(lambda v: jnp.mean((x @ v - y) ** 2))(w))
    rng = np.random.default_rng(jax.process_index())
    for _ in range(args.steps):
        x = rng.normal(size=(per_host, 12)).astype(np.float32)
        x, y = (jax.make_array_from_process_local_data(rows, part) for part in (x, x.sum(-1)))
        w = learn(w, x, y)
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
