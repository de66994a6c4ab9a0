import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

from part.mesh import make_mesh
from part.rules import sharding_of


def init(key, d=8, h=32):
    a, b = jax.random.split(key)
    return {"mlp/kernel_in": jax.random.normal(a, (d, h)) / 3, "mlp/kernel_out": jax.random.normal(b, (h, d)) / 6}


@jax.jit
def update(params, x):
    def loss(p):
        return jnp.mean((jax.nn.gelu(x @ p["mlp/kernel_in"]) @ p["mlp/kernel_out"] - x) ** 2)

    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def main(steps=10):
    mesh = make_mesh(tp=2)
    params = init(jax.random.key(0))
    params = {name: jax.device_put(value, sharding_of(mesh, name)) for name, value in params.items()}
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(16, 8)).astype(np.float32), NamedSharding(mesh, P("dp")))
        params = update(params, x)
    print(jax.tree.map(jnp.shape, params))


if __name__ == "__main__":
    main()
