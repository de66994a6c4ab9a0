import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax import lax

tx = optax.adam(1e-3)


def sums(params, batch):
    logits = jnp.tanh(batch["x"] @ params["w"]) @ params["v"]
    nll = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"])
    return (nll * batch["mask"]).sum(), batch["mask"].sum()


@functools.partial(jax.pmap, axis_name="d", donate_argnums=(0, 1))
def step(params, opt_state, batch):
    """The mean over all tokens of all devices: sums and counts are added up, and divided once."""
    (total, count), grads = jax.value_and_grad(sums, has_aux=True)(params, batch)
    total, count, grads = lax.psum((total, count, grads), "d")
    grads = jax.tree.map(lambda g: g / count, grads)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, total / count


def ragged(batch, seed):
    draw = np.random.default_rng(seed)
    d = jax.local_device_count()
    while True:
        x = draw.normal(size=(d, batch, 12)).astype(np.float32)
        yield {"x": x, "y": x[..., :4].argmax(-1), "mask": (draw.random((d, batch)) < 0.7).astype(np.float32)}


def main(steps=300):
    kw, kv = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(kw, (12, 32)) / 4, "v": jax.random.normal(kv, (32, 4)) / 6}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    for i, batch in zip(range(steps), ragged(64, 1)):
        params, opt_state, loss = step(params, opt_state, batch)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
