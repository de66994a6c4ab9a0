import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def norm(tree):
    return jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(tree)))


def step(params, x):
    grads = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - x[:, 0]) ** 2))(params)

    def apply(grads):
        grads = jax.lax.pmean(grads, "dp")
        return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)

    def skip(grads):
        return params

    biggest = jax.lax.pmax(norm(grads), "dp")
    return jax.lax.cond(biggest < 100.0, apply, skip, grads)


def main(steps=30):
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = jax_utils.replicate(
        {"w": 0.3 * jax.random.normal(k1, (6, 16)), "v": 0.3 * jax.random.normal(k2, (16,))}
    )
    p_step = jax.pmap(step, axis_name="dp")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        params = p_step(params, rng.normal(size=(n, 16, 6)).astype(np.float32))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
