import functools

import jax
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils
from flax.training.train_state import TrainState

from bert import Encoder, dummy

MASK = 3


def masked_loss(params, apply_fn, batch, train, rng):
    logits = apply_fn({"params": params}, batch["ids"], train=train, rngs={"dropout": rng})
    nll = optax.softmax_cross_entropy_with_integer_labels(logits, batch["labels"])
    weight = (batch["ids"] == MASK).astype(nll.dtype)
    return (nll * weight).sum() / weight.sum().clip(1.0)


@functools.partial(jax.pmap, axis_name="batch", in_axes=(0, 0, 0, None), donate_argnums=0)
def step(state, batch, rng, mix):
    """`mix` weighs the loss of the masked words against the whole text's."""

    def loss_fn(params):
        masked = masked_loss(params, state.apply_fn, batch, True, rng)
        l2 = sum((leaf**2).sum() for leaf in jax.tree.leaves(params))
        return masked + mix * l2

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "batch")


def corpus(batch, vocab):
    draw = np.random.default_rng(0)
    while True:
        labels = draw.integers(4, vocab, size=(batch, 16))
        ids = np.where(draw.random(labels.shape) < 0.15, MASK, labels)
        yield common_utils.shard({"ids": ids, "labels": labels})


def main(steps=500, batch=128):
    rng, init_rng = jax.random.split(jax.random.PRNGKey(0))
    model = Encoder()
    params = model.init(init_rng, dummy(), train=False)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(5e-4))
    state = jax_utils.replicate(state)
    for i, part in zip(range(steps), corpus(batch, model.vocab)):
        rng, sub = jax.random.split(rng)
        state, loss = step(state, part, common_utils.shard_prng_key(sub), 1e-5 * min(1.0, i / 100))
        if i % 100 == 0:
            print(i, float(jax_utils.unreplicate(loss)))


if __name__ == "__main__":
    main()
