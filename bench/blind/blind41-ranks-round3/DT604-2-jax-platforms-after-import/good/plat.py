import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


@jax.jit
def energy(x):
    return jnp.sum(x**2)


def main():
    x = jax.random.normal(jax.random.key(0), (1000,))
    print(jax.grad(energy)(x)[:3], jax.default_backend())


if __name__ == "__main__":
    main()
