import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from feed import make_loader


def loss(w, x, y):
    return jnp.mean((x.reshape(x.shape[0], -1) @ w - y) ** 2)


@jax.jit
def step(w, x, y):
    return w - 0.01 * jax.grad(loss)(w, x, y)


def main():
    mesh = Mesh(jax.devices(), ("data",))
    rows = NamedSharding(mesh, P("data"))
    w = jax.device_put(jnp.zeros((64,)), NamedSharding(mesh, P()))
    loader = make_loader(per_host=8 * jax.device_count(), workers=4)
    for epoch in range(2):
        for x, y in loader:
            w = step(w, jax.device_put(x, rows), jax.device_put(y, rows))
    print(float(jnp.linalg.norm(w)))


if __name__ == "__main__":
    main()
