"""Bucketed sequence model: the branch for the shortest bucket that holds the batch is run."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

BUCKETS = (16, 32, 64)


def nll(params, tokens, lengths):
    h = jnp.cumsum(params["emb"][tokens], axis=1)
    logits = jnp.tanh(h[:, :-1]) @ params["out"]
    mask = jnp.arange(tokens.shape[1] - 1)[None] < lengths[:, None] - 1
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
    return jnp.sum(losses * mask) / jnp.maximum(mask.sum(), 1)


def grad_for(width):
    def branch(params, tokens, lengths):
        grads = jax.grad(nll)(params, tokens[:, :width], lengths)
        return jax.lax.pmean(grads, "dev")

    return branch


def build(tx):
    branches = [grad_for(width) for width in BUCKETS]
    edges = jnp.array(BUCKETS)

    def update(params, opt_state, tokens, lengths):
        longest = lengths.max()
        bucket = jnp.searchsorted(edges, longest)
        grads = jax.lax.switch(bucket, branches, params, tokens, lengths)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    return jax.pmap(update, axis_name="dev", donate_argnums=(0, 1))


def main(steps=100, per_device=16):
    n = jax.local_device_count()
    emb, out = jax.random.split(jax.random.key(0))
    params = {"emb": 0.1 * jax.random.normal(emb, (100, 32)), "out": 0.1 * jax.random.normal(out, (32, 100))}
    tx = optax.adam(1e-3)
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    update = build(tx)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        tokens = rng.integers(0, 100, size=(n, per_device, 64))
        lengths = rng.integers(4, 65, size=(n, per_device))
        params, opt_state = update(params, opt_state, tokens, lengths)
    print(float(jnp.abs(params["emb"][0]).mean()))


if __name__ == "__main__":
    main()
