import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np

import tables


def configure(devices):
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={devices}".strip()


def loss_fn(w, x, y):
    return jnp.mean((tables.encode(x) @ w - y) ** 2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--devices", type=int, default=4)
    ap.add_argument("--steps", type=int, default=50)
    args = ap.parse_args()
    configure(args.devices)
    step = jax.pmap(
        lambda w, x, y: w - 0.01 * jax.lax.pmean(jax.grad(loss_fn)(w, x, y), "d"),
        axis_name="d",
        in_axes=(None, 0, 0),
        out_axes=None,
    )
    n = jax.local_device_count()
    w = jnp.zeros((6 * 32,))
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        x = rng.uniform(-1, 1, size=(n, 64)).astype(np.float32)
        w = step(w, x, x**2)
    print("devices", n, "norm", float(jnp.linalg.norm(w)))


if __name__ == "__main__":
    main()
