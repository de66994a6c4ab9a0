import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding

import rules


def main():
    mesh = jax.make_mesh((jax.device_count() // 2, 2), ("data", "model"))
    w = jax.device_put(jnp.ones((16, 8)), NamedSharding(mesh, rules.spec("embed", "heads")))
    x = jax.device_put(jnp.ones((8, 16)), NamedSharding(mesh, rules.spec("batch", "embed")))
    print(jax.jit(jnp.dot)(x, w).sum())


if __name__ == "__main__":
    main()
