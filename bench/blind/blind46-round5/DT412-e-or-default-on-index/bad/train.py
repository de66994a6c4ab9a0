import argparse

import jax
import jax.numpy as jnp
import numpy as np

from shards import ShardSpec, rows_of


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("--shard-index", type=int)
    ap.add_argument("--shard-count", type=int)
    ap.add_argument("--steps", type=int, default=50)
    return ap.parse_args()


def main():
    args = parse()
    jax.distributed.initialize()
    rows = rows_of(ShardSpec(args.shard_index, args.shard_count), 10_000)
    x = np.random.default_rng(0).normal(size=(10_000, 6)).astype(np.float32)[rows]
    step = jax.pmap(
        lambda w, b: w - 0.1 * jax.lax.pmean(jax.grad(lambda v: jnp.mean((b @ v - b.sum(-1)) ** 2))(w), "i"),
        axis_name="i",
        in_axes=(None, 0),
        out_axes=None,
    )
    n = jax.local_device_count()
    w = jnp.zeros((6,))
    order = np.random.default_rng([1, jax.process_index()])
    for _ in range(args.steps):
        w = step(w, x[order.integers(0, len(x), (n, 32))])
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
