import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(params, x, key):
    h = jax.nn.relu(x @ params["w"])
    keep = jax.random.bernoulli(key, 0.8, h.shape)
    return jnp.where(keep, h / 0.8, 0.0) @ params["v"]


def make_step(mesh, tx):
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data"), P("data")), out_specs=P())
    def mean_loss(params, x, y, keys):
        error = forward(params, x, keys[0]) - y
        return lax.pmean(jnp.mean(error**2), "data")

    @partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
    def spread(x, y):
        """The variance of the targets; the second moment only where the mean is large anywhere."""
        mean = lax.pmean(y.mean(), "data")
        far = lax.pmax(jnp.abs(x).max(), "data") > 10.0
        return lax.cond(far, lambda: lax.pmean(((y - mean) ** 2).mean(), "data"), lambda: jnp.ones(()))

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, x, y, keys):
        loss, grads = jax.value_and_grad(mean_loss)(params, x, y, keys)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss / spread(x, y)

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=15)
    args = parser.parse_args()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2, key = jax.random.split(jax.random.key(0), 3)
    tx = optax.adam(1e-3)
    params = jax.device_put({"w": jax.random.normal(k1, (6, 32)), "v": jax.random.normal(k2, (32,))}, whole)
    opt_state = jax.device_put(tx.init(params), whole)
    step = make_step(mesh, tx)
    rng = np.random.default_rng(0)
    for _ in range(args.steps):
        key, sub = jax.random.split(key)
        x = rng.normal(size=(64, 6)).astype(np.float32)
        x, y = jax.device_put((x, x.sum(-1)), rows)
        keys = jax.device_put(jax.random.split(sub, mesh.shape["data"]), rows)
        params, opt_state, loss = step(params, opt_state, x, y, keys)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
