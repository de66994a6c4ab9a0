"""MoE-free toy LM; value_and_grad is taken inside of shard_map of a loss that is already averaged."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

VOCAB, DIM = 128, 32


def init(key):
    k = jax.random.split(key, 3)
    return {
        "emb": 0.1 * jax.random.normal(k[0], (VOCAB, DIM)),
        "mid": 0.1 * jax.random.normal(k[1], (DIM, DIM)),
        "out": 0.1 * jax.random.normal(k[2], (DIM, VOCAB)),
    }


def local_nll(params, tokens, key):
    h = params["emb"][tokens[:, :-1]]
    h = h * jax.random.bernoulli(key, 0.9, h.shape)
    logits = jnp.tanh(h @ params["mid"]) @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def make_update(mesh, tx):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P()), out_specs=(P(), P()))
    def loss_and_grads(params, tokens, key):
        key = jax.random.fold_in(key, jax.lax.axis_index("data"))
        return jax.value_and_grad(lambda p: jax.lax.pmean(local_nll(p, tokens, key), "data"))(params)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def update(params, opt_state, tokens, key):
        loss, grads = loss_and_grads(params, tokens, key)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return update


def main(steps=50, batch=64):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    init_key, drop_key = jax.random.split(jax.random.key(1))
    tx = optax.adamw(1e-3)
    params = init(init_key)
    params, opt_state = jax.device_put((params, tx.init(params)), NamedSharding(mesh, P()))
    update = make_update(mesh, tx)
    rng = np.random.default_rng(1)
    for step in range(steps):
        tokens = jax.device_put(rng.integers(0, VOCAB, size=(batch, 21)), NamedSharding(mesh, P("data")))
        params, opt_state, loss = update(params, opt_state, tokens, jax.random.fold_in(drop_key, step))
    print(float(loss))


if __name__ == "__main__":
    main()
