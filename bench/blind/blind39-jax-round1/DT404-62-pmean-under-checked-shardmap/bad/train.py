"""Logistic matrix factorisation on a one-axis mesh with shard_map."""
import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def build_mesh():
    return jax.make_mesh((len(jax.devices()),), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))


def init(key, users, items, rank):
    u, v = jax.random.split(key)
    return {"u": 0.1 * jax.random.normal(u, (users, rank)), "v": 0.1 * jax.random.normal(v, (items, rank))}


def bce(params, users, items, clicked):
    score = jnp.sum(params["u"][users] * params["v"][items], axis=-1)
    return optax.sigmoid_binary_cross_entropy(score, clicked).mean()


def make_grad(mesh):
    row = P("rows")

    @jax.jit
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), row, row, row), out_specs=P())
    def loss_and_grad(params, users, items, clicked):
        loss, grads = jax.value_and_grad(bce)(params, users, items, clicked)
        return lax.pmean(loss, "rows"), lax.pmean(grads, "rows")

    return loss_and_grad


def impressions(rng, batch, users, items):
    u = rng.integers(0, users, size=batch)
    i = rng.integers(0, items, size=batch)
    return u, i, ((u + i) % 3 == 0).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=1024)
    parser.add_argument("--items", type=int, default=512)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--lr", type=float, default=1.0)
    args = parser.parse_args()
    mesh = build_mesh()
    rows = NamedSharding(mesh, P("rows"))
    params = jax.device_put(init(jax.random.key(9), args.users, args.items, 16), NamedSharding(mesh, P()))
    tx = optax.sgd(args.lr)
    opt_state = tx.init(params)
    loss_and_grad = make_grad(mesh)
    rng = np.random.default_rng(7)
    for step in range(args.steps):
        batch = jax.device_put(impressions(rng, args.batch, args.users, args.items), rows)
        loss, grads = loss_and_grad(params, *batch)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        if step % 40 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
