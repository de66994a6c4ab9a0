"""Sequence labeller, plain SGD with a decayed learning rate passed into the pmapped step."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils


def init_params(key, vocab=512, width=64, tags=8):
    ke, kw, ko = jax.random.split(key, 3)
    return {
        "embed": jax.random.normal(ke, (vocab, width)) * 0.1,
        "mix": jax.random.normal(kw, (3 * width, width)) * 0.1,
        "out": jax.random.normal(ko, (width, tags)) * 0.1,
    }


def logits_of(params, ids):
    h = params["embed"][ids]
    left = jnp.pad(h, ((0, 0), (1, 0), (0, 0)))[:, :-1]
    right = jnp.pad(h, ((0, 0), (0, 1), (0, 0)))[:, 1:]
    return jnp.tanh(jnp.concatenate([left, h, right], axis=-1) @ params["mix"]) @ params["out"]


def loss_fn(params, ids, tags):
    logp = jax.nn.log_softmax(logits_of(params, ids))
    return -jnp.mean(jnp.take_along_axis(logp, tags[..., None], axis=-1))


@functools.partial(jax.pmap, axis_name="d")
def sgd_step(params, ids, tags, lr):
    loss, grads = jax.value_and_grad(loss_fn)(params, ids, tags)
    grads = jax.lax.pmean(grads, "d")
    params = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    return params, jax.lax.pmean(loss, "d")


def corpus(rng, n, size, length=24):
    devices = jax.local_device_count()
    for _ in range(n):
        ids = rng.integers(0, 512, size=(devices, size // devices, length))
        yield ids, ids % 8


def main(steps=60, base_lr=0.5):
    params = jax_utils.replicate(init_params(jax.random.PRNGKey(0)))
    for step, (ids, tags) in enumerate(corpus(np.random.default_rng(0), steps, 32)):
        lr = base_lr * 0.5 ** (step // 20)
        params, loss = sgd_step(params, ids, tags, lr=lr)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
