import jax
import jax.numpy as jnp

from export import export
from layout import fsdp_mesh, shard


@jax.jit
def step(params, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p["a"] @ p["b"] - x) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)


def main():
    jax.distributed.initialize()
    mesh = fsdp_mesh()
    k_a, k_b, k_x = jax.random.split(jax.random.key(0), 3)
    params = shard({"a": jax.random.normal(k_a, (64, 64)), "b": jax.random.normal(k_b, (64, 64))}, mesh)
    x = jax.random.normal(k_x, (32, 64))
    for _ in range(10):
        params = step(params, x)
    export(params, "weights.npz")


if __name__ == "__main__":
    main()
