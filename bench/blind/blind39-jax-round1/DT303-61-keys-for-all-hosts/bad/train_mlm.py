"""Masked-token pre-training with pmap on a pod slice; one process per host."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

MASK_ID, VOCAB, WIDTH = 3, 8000, 128


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="tokens.npy")
    parser.add_argument("--per-device-batch", type=int, default=16)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def init(key):
    k_emb, k_mix, k_out = jax.random.split(key, 3)
    return {
        "emb": 0.02 * jax.random.normal(k_emb, (VOCAB, WIDTH)),
        "mix": 0.02 * jax.random.normal(k_mix, (WIDTH, WIDTH)),
        "out": 0.02 * jax.random.normal(k_out, (WIDTH, VOCAB)),
    }


def loss_fn(params, tokens, key):
    hidden = jax.random.bernoulli(key, 0.15, tokens.shape)
    inputs = jnp.where(hidden, MASK_ID, tokens)
    h = params["emb"][inputs]
    h = jax.nn.gelu((h + h.mean(axis=1, keepdims=True)) @ params["mix"])
    nll = optax.softmax_cross_entropy_with_integer_labels(h @ params["out"], tokens)
    return jnp.sum(nll * hidden), jnp.sum(hidden)


def host_rows(path, per_host, seed):
    tokens = np.load(path, mmap_mode="r")[jax.process_index() :: jax.process_count()]
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        yield np.asarray(tokens[rng.integers(0, len(tokens), size=per_host)])


def main():
    args = get_args()
    jax.distributed.initialize()
    n_local = jax.local_device_count()
    tx = optax.adamw(3e-4)

    def update(params, opt_state, tokens, key):
        (total, count), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, tokens, key)
        count = jnp.maximum(jax.lax.psum(count, "dp"), 1)
        grads = jax.tree.map(lambda g: g / count, jax.lax.psum(grads, "dp"))
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.psum(total, "dp") / count

    p_update = jax.pmap(update, axis_name="dp", donate_argnums=(0, 1))
    init_key, train_key = jax.random.split(jax.random.key(args.seed))
    params = init(init_key)
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    train_key = jax.random.fold_in(train_key, jax.process_index())

    rows = host_rows(args.corpus, n_local * args.per_device_batch, args.seed)
    for step in range(args.steps):
        tokens = next(rows).reshape(n_local, args.per_device_batch, -1)
        keys = jax.random.split(jax.random.fold_in(train_key, step), jax.device_count())
        params, opt_state, loss = p_update(params, opt_state, tokens, keys)
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
