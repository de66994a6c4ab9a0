import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map


def noisy_loss(w, x, y, key):
    key = jax.random.fold_in(key, jax.lax.axis_index("data"))
    x = x + 0.1 * jax.random.normal(key, x.shape)
    return jax.lax.pmean(jnp.mean((x @ w - y) ** 2), "data")


def main(steps=20, batch=64):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    loss = shard_map(noisy_loss, mesh=mesh, in_specs=(P(), P("data"), P("data"), P()), out_specs=P())
    grad_fn = jax.jit(jax.grad(loss))
    rows = NamedSharding(mesh, P("data"))
    w, key = jnp.zeros((6,)), jax.random.key(1)
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(batch, 6)).astype(np.float32)
        x, y = jax.device_put((x, x.sum(-1)), rows)
        w = w - 0.05 * grad_fn(w, x, y, jax.random.fold_in(key, step))
    print(np.asarray(w))


if __name__ == "__main__":
    main()
