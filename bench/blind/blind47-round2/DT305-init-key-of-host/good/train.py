import jax
import jax.numpy as jnp
from flax import jax_utils

from seeds import Seeds


def step(params, x):
    def loss(p):
        return jnp.mean((jnp.tanh(x @ p["in"]) @ p["out"] - x.sum(-1, keepdims=True)) ** 2)

    grads = jax.lax.pmean(jax.grad(loss)(params), "all")
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


def main():
    jax.distributed.initialize()
    seeds = Seeds.of_host(7)
    k_in, k_out = jax.random.split(seeds.init)
    params = {"in": jax.random.normal(k_in, (4, 16)), "out": jax.random.normal(k_out, (16, 1))}
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="all")
    key = seeds.data
    for _ in range(100):
        key, sub = jax.random.split(key)
        x = jax.random.normal(sub, (jax.local_device_count(), 8, 4))
        params = p_step(params, x)


if __name__ == "__main__":
    main()
