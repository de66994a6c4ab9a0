import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Corruption:
    """SCARF-like: a share of the features of each row is drawn from other rows."""

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, rows, key):
        k_mask, k_rows = jax.random.split(key)
        mask = jax.random.bernoulli(k_mask, self.rate, rows.shape)
        return jnp.where(mask, jax.random.permutation(k_rows, rows, independent=True), rows)


def embed(params, x):
    return jax.nn.relu(x @ params["a"]) @ params["b"]


def build(mesh, corrupt):
    def local_grads(params, rows, key):
        dirty = corrupt(rows, key)

        def loss(p):
            a, b = embed(p, rows), embed(p, dirty)
            return jax.lax.pmean(((a - b) ** 2).sum(-1).mean() - jnp.log(a.std(0) + 1e-4).mean(), "rows")

        return jax.value_and_grad(loss)(params)

    return jax.shard_map(local_grads, mesh=mesh, in_specs=(P(), P("rows"), P()), out_specs=(P(), P()))


def main(steps=300):
    mesh = Mesh(np.asarray(jax.devices()), ("rows",))
    grads_of = build(mesh, Corruption(0.6))
    tx = optax.adam(1e-3)
    init_key, noise_key = jax.random.split(jax.random.key(5))
    ka, kb = jax.random.split(init_key)
    params = {"a": jax.random.normal(ka, (20, 64)) / 4, "b": jax.random.normal(kb, (64, 16)) / 8}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, rows, key):
        loss, grads = grads_of(params, rows, key)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    draw = np.random.default_rng(0)
    for i in range(steps):
        rows = jax.device_put(draw.normal(size=(512, 20)).astype(np.float32), NamedSharding(mesh, P("rows")))
        params, opt_state, loss = step(params, opt_state, rows, jax.random.fold_in(noise_key, i))
    print(float(loss))


if __name__ == "__main__":
    main()
