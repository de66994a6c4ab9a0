import os

import jax
import jax.numpy as jnp

import tables


def configure(n):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={n}".strip()


def main():
    configure(int(os.environ.get("FAKE_DEVICES", "2")))
    n = jax.local_device_count()
    rows = jnp.tile(jnp.asarray(tables.ANGLES), (n, 1))
    out = jax.pmap(lambda r: jnp.sum(jnp.sin(r) * tables.WINDOW))(rows)
    print(n, out)


if __name__ == "__main__":
    main()
