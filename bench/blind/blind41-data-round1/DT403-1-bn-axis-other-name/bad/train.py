from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state

from model import ConvNet

AXIS = "devices"


class State(train_state.TrainState):
    batch_stats: Any


def step(state, images, labels):
    def loss_fn(params):
        logits, new = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats}, images, True, mutable=["batch_stats"]
        )
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), new["batch_stats"]

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    grads = jax.lax.pmean(grads, AXIS)
    stats = jax.lax.pmean(stats, AXIS)
    return state.apply_gradients(grads=grads, batch_stats=stats), jax.lax.pmean(loss, AXIS)


def main():
    model = ConvNet()
    variables = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 16, 16, 3)), False)
    state = State.create(
        apply_fn=model.apply, params=variables["params"], batch_stats=variables["batch_stats"], tx=optax.adam(1e-3)
    )
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name=AXIS, donate_argnums=0)
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(20):
        images = rng.normal(size=(n, 8, 16, 16, 3)).astype(np.float32)
        labels = rng.integers(0, 10, size=(n, 8))
        state, loss = p_step(state, images, labels)
    print(float(loss[0]))


if __name__ == "__main__":
    main()
