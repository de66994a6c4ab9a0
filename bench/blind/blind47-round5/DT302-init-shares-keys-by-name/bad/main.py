import jax
import jax.numpy as jnp

import spec


@jax.jit
def step(params, x):
    grads = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["encode"]) @ p["decode"] - x) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def main():
    params, key = spec.init(jax.random.key(1))
    for _ in range(10):
        key, sub = jax.random.split(key)
        params = step(params, jax.random.normal(sub, (16, 8)))
    print(jax.tree.map(jnp.linalg.norm, params))


if __name__ == "__main__":
    main()
