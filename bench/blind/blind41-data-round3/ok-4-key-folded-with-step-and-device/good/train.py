from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import train_state


class State(train_state.TrainState):
    key: Any


def step(state, x):
    key = jax.random.fold_in(jax.random.fold_in(state.key, jax.lax.axis_index("b")), state.step)
    keep = jax.random.bernoulli(key, 0.9, x.shape)

    def loss_fn(p):
        return jnp.mean((state.apply_fn(p, x * keep / 0.9) - x) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads, loss = jax.lax.pmean((grads, loss), "b")
    return state.apply_gradients(grads=grads), loss


def main(steps=100):
    a, b, key = jax.random.split(jax.random.PRNGKey(0), 3)
    params = {"e": jax.random.normal(a, (6, 3)) / 2, "d": jax.random.normal(b, (3, 6)) / 2}
    state = State.create(apply_fn=lambda p, x: jnp.tanh(x @ p["e"]) @ p["d"], params=params, tx=optax.adam(1e-3), key=key)
    state = jax_utils.replicate(state)
    p_step = jax.pmap(step, axis_name="b", donate_argnums=0)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        state, loss = p_step(state, rng.normal(size=(jax.local_device_count(), 32, 6)).astype(np.float32))
    print(float(loss[0]))


if __name__ == "__main__":
    main()
