import os

import jax
import jax.numpy as jnp
import numpy as np

import mesh


def use_virtual_devices(n):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={n}"


@jax.jit
def step(w, x):
    return w - 0.05 * jax.grad(lambda v: jnp.mean((x @ v - x[:, 0]) ** 2))(w)


def main(steps=20):
    use_virtual_devices(4)
    w = jax.device_put(jnp.zeros((5,)), mesh.EVERYWHERE)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(64, 5)).astype(np.float32), mesh.ROWS)
        w = step(w, x)
    print(len(mesh.MESH.devices), np.asarray(w))


if __name__ == "__main__":
    main()
