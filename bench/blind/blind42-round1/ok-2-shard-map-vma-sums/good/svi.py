"""Logistic regression in shard_map; the loss is a local sum over the global count."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("rows",))


def local_nll(w, x, y, total):
    logits = x @ w
    return jnp.sum(jax.nn.softplus(logits) - y * logits) / total


@partial(jax.jit, static_argnums=3)
def update(w, x, y, total):
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("rows"), P("rows")), out_specs=(P(), P()))
    def inner(w, x, y):
        loss, grad = jax.value_and_grad(local_nll)(w, x, y, total)
        return w - 0.5 * grad, jax.lax.psum(loss, "rows")

    return inner(w, x, y)


def main(steps=100, n=4096, d=20):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d)).astype(np.float32)
    y = (x @ rng.normal(size=d) > 0).astype(np.float32)
    rows = NamedSharding(mesh, P("rows"))
    x, y = jax.device_put(x, rows), jax.device_put(y, rows)
    w = jax.device_put(jnp.zeros(d), NamedSharding(mesh, P()))
    for step in range(steps):
        w, loss = update(w, x, y, n)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
