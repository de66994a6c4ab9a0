"""Character LM with micro-batches inside the pmapped step."""
import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


@dataclass(frozen=True)
class Hparams:
    vocab: int = 96
    width: int = 128
    seq: int = 64
    per_device: int = 32
    micro: int = 4
    lr: float = 2e-3
    steps: int = 300


def init(key, hp):
    k = jax.random.split(key, 3)
    scale = hp.width**-0.5
    return {
        "emb": jax.random.normal(k[0], (hp.vocab, hp.width)) * scale,
        "rec": jax.random.normal(k[1], (hp.width, hp.width)) * scale,
        "out": jax.random.normal(k[2], (hp.width, hp.vocab)) * scale,
    }


def nll(params, tokens):
    def cell(h, emb):
        h = jnp.tanh(h @ params["rec"] + emb)
        return h, h

    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    embs = jnp.swapaxes(params["emb"][inputs], 0, 1)
    _, hs = jax.lax.scan(cell, jnp.zeros((tokens.shape[0], params["rec"].shape[0])), embs)
    logits = jnp.swapaxes(hs, 0, 1) @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def make_step(tx, hp):
    def accumulate(params, tokens):
        pieces = tokens.reshape(hp.micro, -1, tokens.shape[-1])

        def one(carry, piece):
            total, grads = carry
            loss, new = jax.value_and_grad(nll)(params, piece)
            return (total + loss, jax.tree.map(jnp.add, grads, new)), None

        zeros = jax.tree.map(jnp.zeros_like, params)
        (total, grads), _ = jax.lax.scan(one, (0.0, zeros), pieces)
        return total / hp.micro, jax.tree.map(lambda g: g / hp.micro, grads)

    @functools.partial(jax.pmap, axis_name="shards", donate_argnums=(0, 1))
    def step(params, opt_state, tokens):
        loss, grads = accumulate(params, tokens)
        loss = jax.lax.pmean(loss, "shards")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(hp):
    n = jax.local_device_count()
    params = init(jax.random.key(0), hp)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(hp.lr))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    step_fn = make_step(tx, hp)
    text = np.fromfile("corpus.bin", dtype=np.uint8) % hp.vocab
    rng = np.random.default_rng(0)
    for step in range(hp.steps):
        starts = rng.integers(0, len(text) - hp.seq - 1, size=(n, hp.per_device))
        tokens = text[starts[..., None] + np.arange(hp.seq + 1)].astype(np.int32)
        params, opt_state, loss = step_fn(params, opt_state, tokens)
        if step % 50 == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main(Hparams())
