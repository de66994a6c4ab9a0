import jax
import jax.numpy as jnp
import numpy as np

from partitioning import Logical, make_mesh, sharding


def loss_fn(params, x, y):
    h = jax.nn.gelu(x @ params["up"])
    return jnp.mean((h @ params["down"] - y) ** 2)


@jax.jit
def step(params, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), loss


def main(steps=10, dim=16):
    mesh = make_mesh()
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"up": 0.1 * jax.random.normal(k1, (dim, 4 * dim)), "down": 0.1 * jax.random.normal(k2, (4 * dim, dim))}
    placed = {"up": sharding(mesh, Logical.EMBED, Logical.MLP), "down": sharding(mesh, Logical.MLP, Logical.EMBED)}
    params = jax.device_put(params, placed)
    rows = sharding(mesh, Logical.BATCH)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(32, dim)).astype(np.float32), rows)
        params, loss = step(params, x, x[:, ::-1])
    print(float(loss))


if __name__ == "__main__":
    main()
