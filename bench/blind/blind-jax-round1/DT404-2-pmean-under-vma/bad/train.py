"""Linear probe trained by an explicit shard_map over the data axis."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def features(x):
    return jnp.concatenate([x, jnp.sin(3 * x), jnp.cos(3 * x)], axis=-1)


def local_loss(params, x, y):
    pred = features(x) @ params["w"] + params["b"]
    return jnp.mean((pred - y) ** 2)


def make_train_step(mesh, tx):
    @partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(P(), P("data"), P("data")),
        out_specs=(P(), P()),
    )
    def loss_and_grads(params, x, y):
        loss, grads = jax.value_and_grad(local_loss)(params, x, y)
        grads = lax.pmean(grads, "data")
        return lax.pmean(loss, "data"), grads

    @partial(jax.jit, donate_argnums=(0, 1))
    def train_step(params, opt_state, x, y):
        loss, grads = loss_and_grads(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step


def batches(seed, size, dim):
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(size, dim)).astype(np.float32)
        yield x, np.sin(3 * x).sum(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    params = jax.device_put({"w": jnp.zeros((12,)), "b": jnp.zeros(())}, whole)
    tx = optax.sgd(args.lr)
    opt_state = jax.device_put(tx.init(params), whole)
    train_step = make_train_step(mesh, tx)
    for i, batch in zip(range(args.steps), batches(0, args.batch, 4)):
        x, y = jax.device_put(batch, rows)
        params, opt_state, loss = train_step(params, opt_state, x, y)
        if i % 10 == 0:
            print(f"{i} {float(loss):.4f}")


if __name__ == "__main__":
    main()
