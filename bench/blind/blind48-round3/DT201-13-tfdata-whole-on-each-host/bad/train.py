import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from pipeline import train_batches


@jax.jit
def step(w, x):
    return w - 0.05 * jax.grad(lambda v: jnp.mean((x @ v - x.sum(-1)) ** 2))(w)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("files", nargs="+")
    ap.add_argument("--steps", type=int, default=1000)
    ap.add_argument("--batch", type=int, default=512)
    args = ap.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    w = jax.device_put(jnp.zeros((8,)), NamedSharding(mesh, P()))
    batches = train_batches(sorted(args.files), args.batch // jax.process_count(), seed=0)
    for _ in range(args.steps):
        x = jax.make_array_from_process_local_data(rows, next(batches))
        w = step(w, x)
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
