"""Data-parallel regression with a hand-written shard_map step."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (a, b)) * jnp.sqrt(2.0 / a), "b": jnp.zeros(b)}
        for k, a, b in zip(keys, sizes[:-1], sizes[1:])
    ]


def apply(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"])[..., 0]


def make_step(mesh, tx):
    def local_loss(params, x, y):
        return optax.huber_loss(apply(params, x), y).mean()

    def body(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(local_loss)(params, x, y)
        grads = lax.pmean(grads, "data")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, lax.pmean(loss, "data")

    return jax.jit(
        jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")), out_specs=(P(), P(), P())),
        donate_argnums=(0, 1),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    whole = NamedSharding(mesh, P())
    tx = optax.sgd(args.lr, momentum=0.9)
    params = jax.device_put(init(jax.random.key(0), (8, 64, 64, 1)), whole)
    opt_state = jax.device_put(tx.init(params), whole)
    step = make_step(mesh, tx)
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        x = rng.uniform(-1, 1, (args.batch, 8)).astype(np.float32)
        y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2]
        params, opt_state, loss = step(params, opt_state, jax.device_put(x, rows), jax.device_put(y, rows))
        if i % 50 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
