"""Two-tower retrieval, jit + shard_map over a one-axis mesh, SGD."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def tower(p, ids):
    return jax.nn.relu(p["emb"][ids] @ p["proj"])


def score_loss(params, users, items, labels):
    u, v = tower(params["user"], users), tower(params["item"], items)
    logits = jnp.sum(u * v, axis=-1)
    return jnp.mean(jax.nn.softplus(logits) - labels * logits)


@jax.jit
@partial(
    jax.shard_map,
    mesh=mesh,
    in_specs=(P(), P("data"), P("data"), P("data")),
    out_specs=(P(), P()),
    check_vma=False,
)
def train_step(params, users, items, labels):
    loss, grads = jax.value_and_grad(score_loss)(params, users, items, labels)
    grads = jax.lax.pmean(grads, "data")
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params, jax.lax.pmean(loss, "data")


def init(key, rows=1000, width=32):
    def one(k):
        a, b = jax.random.split(k)
        return {"emb": jax.random.normal(a, (rows, width)) * 0.1, "proj": jax.random.normal(b, (width, width)) * 0.2}

    ku, ki = jax.random.split(key)
    return {"user": one(ku), "item": one(ki)}


def clicks(rng, size):
    users, items = rng.integers(0, 1000, size), rng.integers(0, 1000, size)
    return users, items, ((users + items) % 7 < 3).astype(np.float32)


def main(steps=100, batch=512):
    params = jax.device_put(init(jax.random.PRNGKey(0)), NamedSharding(mesh, P()))
    rows = NamedSharding(mesh, P("data"))
    rng = np.random.default_rng(0)
    for step in range(steps):
        batch_arrays = [jax.device_put(a, rows) for a in clicks(rng, batch)]
        params, loss = train_step(params, *batch_arrays)
        if step % 20 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
