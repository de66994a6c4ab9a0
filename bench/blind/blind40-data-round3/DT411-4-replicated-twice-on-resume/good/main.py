import jax
import numpy as np
import optax
from flax import jax_utils

import state as states


def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=jax.lax.pmean(grads, "i")), jax.lax.pmean(loss, "i")


def main(path="net.msgpack", steps=200):
    state = states.create(path)
    step = jax.pmap(train_step, axis_name="i")
    rng = np.random.default_rng(0)
    n = jax.local_device_count()
    for i in range(steps):
        x = rng.normal(size=(n, 32, 9)).astype(np.float32)
        state, loss = step(state, x, (x[..., 0] > 0).astype(np.int32))
        if (i + 1) % 100 == 0:
            print(i + 1, float(loss[0]))
            states.store(path, state)


if __name__ == "__main__":
    main()
