"""Environment set before jax is imported; simulated devices; then pmap."""
import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

jax.config.update("jax_default_matmul_precision", "float32")


def ring_all_reduce(x, axis, size):
    total = x
    perm = [(i, (i + 1) % size) for i in range(size)]
    for _ in range(size - 1):
        x = jax.lax.ppermute(x, axis, perm)
        total = total + x
    return total


def main():
    n = jax.local_device_count()
    f = jax.pmap(lambda x: ring_all_reduce(x, "r", n), axis_name="r")
    out = f(jnp.arange(n, dtype=jnp.float32))
    assert (out == out[0]).all()
    print(out)


main()
