"""CLIP-like loss: all_gather of embeddings over the axis, labels offset by axis_index, pmean of the gradients."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax.jax_utils import replicate


def encode(p, x):
    z = x @ p
    return z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)


@functools.partial(jax.pmap, axis_name="b")
def step(params, image, text):
    def loss_fn(params):
        zi, zt = encode(params["i"], image), encode(params["t"], text)
        all_i = jax.lax.all_gather(zi, "b").reshape(-1, zi.shape[-1])
        all_t = jax.lax.all_gather(zt, "b").reshape(-1, zt.shape[-1])
        n = zi.shape[0]
        labels = jnp.arange(n) + jax.lax.axis_index("b") * n
        li = -jax.nn.log_softmax(zi @ all_t.T / 0.1)[jnp.arange(n), labels]
        lt = -jax.nn.log_softmax(zt @ all_i.T / 0.1)[jnp.arange(n), labels]
        return (li.mean() + lt.mean()) / 2

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "b")
    params = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)
    return params, jax.lax.pmean(loss, "b")


def main():
    n = jax.local_device_count()
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = replicate({"i": jax.random.normal(k1, (8, 4)), "t": jax.random.normal(k2, (6, 4))})
    rng = np.random.default_rng(0)
    for _ in range(10):
        params, loss = step(params, rng.normal(size=(n, 8, 8)), rng.normal(size=(n, 8, 6)))
    print(loss[0])


if __name__ == "__main__":
    main()
