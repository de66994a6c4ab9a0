import argparse

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils

from bat.reader import Reader


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--global-batch-size", type=int, default=1024)
    ap.add_argument("--steps", type=int, default=100)
    args = ap.parse_args()
    jax.distributed.initialize()
    rows = np.random.default_rng(0).normal(size=(65536, 8)).astype(np.float32)
    reader = iter(Reader(rows, args.global_batch_size, seed=jax.process_index()))

    def step(w, x):
        return w - 0.1 * jax.lax.pmean(jax.grad(lambda w: jnp.mean((x @ w - x[:, 0]) ** 2))(w), "d")

    p_step = jax.pmap(step, axis_name="d")
    w = jax_utils.replicate(jnp.zeros(8))
    for _ in range(args.steps):
        w = p_step(w, next(reader))
    if jax.process_index() == 0:
        print(jax_utils.unreplicate(w))


if __name__ == "__main__":
    main()
