import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from sharding import make_mesh, place


@jax.jit
def step(params, x):
    def loss_fn(p):
        return jnp.mean((jax.nn.relu(x @ p["up"]) @ p["down"] - x) ** 2)

    return jax.tree.map(lambda p, g: p - 0.05 * g, params, jax.grad(loss_fn)(params))


def main(steps=20):
    mesh = make_mesh()
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = place({"up": jax.random.normal(k1, (8, 64)) * 0.1, "down": jax.random.normal(k2, (64, 8)) * 0.1}, mesh)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(32, 8)).astype(np.float32), NamedSharding(mesh, P("data")))
        params = step(params, x)
    print(float(jnp.abs(params["up"]).mean()))


if __name__ == "__main__":
    main()
