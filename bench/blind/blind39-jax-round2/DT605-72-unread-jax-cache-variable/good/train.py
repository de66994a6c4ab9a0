import env

env.prepare(host_memory_gb=512)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402


def loss_fn(w, x):
    return jnp.mean((x @ w - x) ** 2)


def main(steps=50):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    w = jax.device_put(0.1 * jax.random.normal(jax.random.key(0), (64, 64)), NamedSharding(mesh, P()))
    step = jax.jit(lambda w, x: w - 0.1 * jax.grad(loss_fn)(w, x), donate_argnums=0)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), NamedSharding(mesh, P("data")))
        w = step(w, x)
    print(float(loss_fn(w, x)))


if __name__ == "__main__":
    main()
