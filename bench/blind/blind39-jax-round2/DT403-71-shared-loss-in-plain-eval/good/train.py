import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from losses import normalised_nll

VOCAB, WIDTH = 64, 32


def init(key):
    a, b = jax.random.split(key)
    return {"emb": 0.1 * jax.random.normal(a, (VOCAB, WIDTH)), "out": 0.1 * jax.random.normal(b, (WIDTH, VOCAB))}


def logits_of(params, tokens):
    return jnp.tanh(params["emb"][tokens]) @ params["out"]


def batch_loss(params, batch, axis=None):
    logits = logits_of(params, batch["x"])
    return normalised_nll(logits, batch["y"], batch["w"], axis=axis)


def synthetic(rng, rows):
    tokens = rng.integers(1, VOCAB, size=(rows, 17))
    weights = (np.arange(16)[None] < rng.integers(4, 17, size=(rows, 1))).astype(np.float32)
    return {"x": tokens[:, :-1], "y": tokens[:, 1:], "w": weights}


def main(steps=100, batch=64):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    specs = (P(), P("data"))

    sharded_loss = jax.shard_map(functools.partial(batch_loss, axis="data"), mesh=mesh, in_specs=specs, out_specs=P())
    grad_fn = jax.jit(jax.value_and_grad(sharded_loss))
    eval_fn = jax.jit(batch_loss)
    params = jax.device_put(init(jax.random.key(0)), NamedSharding(mesh, P()))
    tx = optax.adam(3e-3)
    opt_state = tx.init(params)
    rng = np.random.default_rng(0)
    held_out = synthetic(rng, 256)
    for step in range(steps):
        rows = jax.device_put(synthetic(rng, batch), NamedSharding(mesh, P("data")))
        loss, grads = grad_fn(params, rows)
        updates, opt_state = tx.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        if step % 25 == 0:
            print(step, float(loss), float(eval_fn(params, held_out)))


if __name__ == "__main__":
    main()
