"""Matrix factorisation in shard_map with the default replication check."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("obs",))
tx = optax.sgd(0.02)


def squared_error(params, users, items, ratings):
    guess = jnp.sum(params["u"][users] * params["v"][items], axis=-1)
    return jnp.mean((guess - ratings) ** 2)


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("obs"), P("obs"), P("obs")), out_specs=(P(), P(), P()))
def train_step(params, opt_state, users, items, ratings):
    def mean_error(p):
        return jax.lax.pmean(squared_error(p, users, items, ratings), "obs")

    loss, grads = jax.value_and_grad(mean_error)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def observations(rng, n, users, items, rank=4):
    u, v = rng.normal(size=(users, rank)), rng.normal(size=(items, rank))
    a, b = rng.integers(0, users, n), rng.integers(0, items, n)
    return a, b, np.sum(u[a] * v[b], axis=1).astype(np.float32)


def main(steps=200, n=8192):
    rng = np.random.default_rng(0)
    rows = NamedSharding(mesh, P("obs"))
    data = [jax.device_put(a, rows) for a in observations(rng, n, 300, 200)]
    ku, kv = jax.random.split(jax.random.key(0))
    params = {"u": jax.random.normal(ku, (300, 8)) * 0.3, "v": jax.random.normal(kv, (200, 8)) * 0.3}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    opt_state = tx.init(params)
    for step in range(steps):
        params, opt_state, loss = train_step(params, opt_state, *data)
    print("rmse", float(loss) ** 0.5)


if __name__ == "__main__":
    main()
