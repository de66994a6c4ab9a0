import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state

from loop import Loop


def predict(params, x):
    for layer in params["layers"]:
        x = x + jnp.tanh(x @ layer)
    return x @ params["head"]


def train_step(state, batch):
    def loss_fn(params):
        return jnp.mean((state.apply_fn(params, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "batch")
    return state.apply_gradients(grads=grads), {"loss": loss}


def batches(per_device, width):
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    while True:
        x = rng.normal(size=(n, per_device, width)).astype(np.float32)
        yield {"x": x, "y": np.abs(x).max(-1, keepdims=True)}


def main(width=256, depth=8):
    *layer_keys, head_key = jax.random.split(jax.random.key(0), depth + 1)
    params = {
        "layers": [0.1 * jax.random.normal(k, (width, width)) / width**0.5 for k in layer_keys],
        "head": jax.random.normal(head_key, (width, 1)) / width**0.5,
    }
    state = train_state.TrainState.create(apply_fn=predict, params=params, tx=optax.adam(1e-3))
    step = jax.pmap(train_step, axis_name="batch", donate_argnums=(0,))
    Loop(step).run(jax_utils.replicate(state), itertools.islice(batches(32, width), 200))


if __name__ == "__main__":
    main()
