"""A whole epoch scanned inside pmap: keys split from a per-device key, shuffled inside with permutation for x and y alike."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax.jax_utils import replicate, unreplicate
from flax.training.common_utils import shard_prng_key


@partial(jax.pmap, axis_name="d", donate_argnums=(0,))
def epoch(w, key, x, y):
    shuffle_key, drop_key, next_key = jax.random.split(key, 3)
    x = jax.random.permutation(shuffle_key, x)
    y = jax.random.permutation(shuffle_key, y)
    steps = x.shape[0] // 4

    def step(w, inp):
        xb, yb, k = inp
        keep = jax.random.bernoulli(k, 0.9, xb.shape)
        loss, g = jax.value_and_grad(lambda w: jnp.mean(((xb * keep) @ w - yb) ** 2))(w)
        return w - 0.05 * jax.lax.pmean(g, "d"), loss

    xs = (x.reshape(steps, 4, -1), y.reshape(steps, 4), jax.random.split(drop_key, steps))
    w, losses = jax.lax.scan(step, w, xs)
    return w, next_key, jax.lax.pmean(losses.mean(), "d")


def main():
    n = jax.local_device_count()
    keys = shard_prng_key(jax.random.PRNGKey(0))
    x = np.random.default_rng(0).normal(size=(n, 32, 4)).astype(np.float32)
    y = x.sum(-1)
    w = replicate(jnp.zeros(4))
    for _ in range(5):
        w, keys, loss = epoch(w, keys, x, y)
    print(unreplicate(loss), unreplicate(w))


if __name__ == "__main__":
    main()
