import argparse

import jax
import jax.numpy as jnp
import numpy as np


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=10)
    args = ap.parse_args()
    jax.distributed.initialize()
    step = jax.pmap(
        lambda w, x: w - 0.1 * jax.lax.pmean(jax.grad(lambda v: jnp.mean((x @ v - x[:, 0]) ** 2))(w), "i"),
        axis_name="i",
        in_axes=(None, 0),
        out_axes=None,
    )
    rng = np.random.default_rng([0, jax.process_index()])
    w = jnp.zeros((4,))
    for _ in range(args.steps):
        w = step(w, rng.normal(size=(jax.local_device_count(), 32, 4)).astype(np.float32))
    if jax.process_index() == 0:
        print(np.asarray(w))


if __name__ == "__main__":
    main()
