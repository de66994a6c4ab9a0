import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np

import layout


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--memory", default="0.6")
    return p.parse_args()


def main():
    args = options()
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = args.memory
    os.environ["XLA_FLAGS"] = "--xla_gpu_enable_latency_hiding_scheduler=true"

    @jax.jit
    def step(w, x):
        return w - 0.05 * jax.grad(lambda v: jnp.mean((x @ v - x.sum(1)) ** 2))(w)

    w = jax.device_put(jnp.zeros((6,)), layout.WHOLE)
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        x = rng.normal(size=(16 * jax.device_count(), 6)).astype(np.float32)
        w = step(w, jax.device_put(x, layout.ROWS))
    print(np.asarray(w))


if __name__ == "__main__":
    main()
